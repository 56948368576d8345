/** A queue that is being loaded. */
export function QueueSkeleton() {
  return (
    <div className="queue-skeleton" aria-hidden="true">
      {[72, 88, 64, 80, 92, 70, 76].map((width) => (
        <div key={width}>
          <span className="skeleton" style={{ width: `${width}%` }} />
          <span className="skeleton" style={{ width: `${width - 30}%` }} />
        </div>
      ))}
    </div>
  )
}
