/** What the person is doing with the request. */
export type Mode = 'read' | 'edit' | 'reject' | 'respond' | 'cancel'
