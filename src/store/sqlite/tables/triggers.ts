/**
 * The triggers that write the outbox, whichever build makes the change. Numbers are given in the order of commits, since there is one writer at a
 * time. The last row is never deleted, so no number is given twice.
 */
export const CREATE_OUTBOX = `
CREATE TABLE outbox (
  no INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  thread INTEGER NOT NULL,
  subject TEXT NOT NULL,
  id TEXT NOT NULL,
  what TEXT NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL
);
${trigger('request_opened', 'INSERT ON requests', tell('request', { what: `'opened'`, version: 'NEW.version' }))}
${trigger(
  'request_settled',
  'UPDATE OF status ON requests WHEN NEW.status <> OLD.status',
  tell('request', { what: `iif(NEW.status = 'open', 'reopened', NEW.status)`, version: 'NEW.version' }),
)}
${trigger(
  'request_escalated',
  `UPDATE OF expires_at ON requests WHEN NEW.expires_at IS NULL AND OLD.expires_at IS NOT NULL AND NEW.status = 'open'`,
  tell('request', { what: `'escalated'`, version: 'NEW.version' }),
)}
${trigger(
  'request_assigned',
  'UPDATE OF assigned_to ON requests',
  tell('request', { what: `'assigned'`, version: 'NEW.version', at: 'NEW.noted_at' }),
)}
${trigger(
  'request_commented',
  'UPDATE OF comments ON requests',
  tell('request', { what: `'commented'`, version: 'NEW.version', at: 'NEW.noted_at' }),
)}
${trigger('grant_created', 'INSERT ON grants', tell('grant', { what: `'created'`, version: '0' }))}
${trigger(
  'grant_revoked',
  'UPDATE OF revoked ON grants WHEN OLD.revoked IS NULL AND NEW.revoked IS NOT NULL',
  tell('grant', { what: `'revoked'`, version: '0' }),
)}
`

function trigger(name: string, when: string, body: string): string {
  return `CREATE TRIGGER ${name} AFTER ${when} BEGIN ${body} END;`
}

/** The row of a thread is written before its requests and grants, so it has the time of the append. */
function tell(subject: string, { what, version, at }: { what: string; version: string; at?: string }): string {
  const time = at ?? '(SELECT at FROM threads WHERE no = NEW.thread)'
  return `INSERT INTO outbox (tenant, thread, subject, id, what, version, at)
  VALUES (NEW.tenant, NEW.thread, '${subject}', NEW.id, ${what}, ${version}, ${time});`
}

/** The columns of a request, read from the entry `e` that opened it in the thread `t`. */
const READERS = `
  CASE WHEN NOT json_valid(e.body) THEN NULL WHEN e.body ->> '$.type' IS NOT 'request.opened' THEN NULL
    WHEN json_type(e.body, '$.reviewers') IS NOT 'array' THEN '*'
    ELSE (SELECT ',' || coalesce(group_concat(json_quote(name), ','), '') || ',' FROM (
      SELECT DISTINCT iif(value LIKE 'user:%' OR value LIKE 'group:%', value, 'user:' || value) AS name
      FROM json_each(e.body, '$.reviewers'))) END`

/** Without the description, which may quote arguments that are secret by name. */
const TEXT = `
  CASE WHEN json_valid(e.body) THEN substr(lower(coalesce(e.body ->> '$.toolName', '') || ' ' || coalesce(e.body ->> '$.agent', '')
    || ' ' || t.id || ' ' || coalesce((
      SELECT group_concat(value, ' ') FROM json_each(e.body, '$.args') WHERE type IN ('text', 'integer', 'real')
        AND key NOT LIKE '%pass%' AND key NOT LIKE '%secret%' AND key NOT LIKE '%token%' AND key NOT LIKE '%key%'
        AND key NOT LIKE '%credential%' AND key NOT LIKE '%authorization%' AND key NOT LIKE '%cookie%' AND key NOT LIKE '%cv_'
    ), '')), 1, 2000) ELSE '' END`

function fillIn(where: string): string {
  return `UPDATE requests SET (readers, risk, text) = (
  SELECT ${READERS}, CASE WHEN json_valid(e.body) THEN e.body ->> '$.risk' END, ${TEXT}
  FROM entries e JOIN threads t ON t.no = e.thread WHERE e.thread = requests.thread AND e.seq = requests.opened
) WHERE readers IS NULL${where};`
}

/** Fills in the columns that an earlier build does not know: once for what is there, and whenever such a build opens a request. */
export const FILL_IN = `
${fillIn('')}
${trigger('request_filled_in', 'INSERT ON requests WHEN NEW.readers IS NULL', fillIn(' AND tenant = NEW.tenant AND id = NEW.id'))}
`

/** When a request was opened or last changed, if an earlier build did it. The row of a thread is written first, so it has the time of the append. */
const TIMED = `UPDATE requests SET changed_at = (SELECT at FROM threads WHERE no = NEW.thread) WHERE tenant = NEW.tenant AND id = NEW.id;`

/** Fills in the columns since version 7, and the index by which open requests are counted for a reader: it has all that such a count looks at. */
export const LIST_COLUMNS = `
UPDATE requests SET lists = (
  SELECT iif(json_type(e.body, '$.reviewerLists') = 'array', json_extract(e.body, '$.reviewerLists'), NULL)
  FROM entries e WHERE e.thread = requests.thread AND e.seq = requests.opened AND json_valid(e.body));
${trigger('request_timed', 'INSERT ON requests WHEN NEW.changed_at = 0', TIMED)}
${trigger('request_timed_again', 'UPDATE OF changed ON requests WHEN NEW.changed_at = OLD.changed_at', TIMED)}
CREATE INDEX requests_readers ON requests (tenant, id, readers, lists, risk, assignee, assigned_to, assigned_until) WHERE status = 'open';
CREATE INDEX outbox_tenant ON outbox (tenant, no);
`

/** An erased thread has no snapshots, whichever build erases it. */
export const ERASE_SNAPSHOTS = `
${trigger('snapshots_erased', 'UPDATE OF erased_at ON threads WHEN NEW.erased_at IS NOT NULL', 'DELETE FROM snapshots WHERE thread = NEW.no;')}
`

/** Nor chunks. */
export const ERASE_CHUNKS = `
${trigger('chunks_erased', 'UPDATE OF erased_at ON threads WHEN NEW.erased_at IS NOT NULL', 'DELETE FROM chunks WHERE thread = NEW.no;')}
`

/** Refuses what a build that knows nothing of erasing appends to an erased thread. Its head can be signed again. */
export const REFUSE_ERASED = `
CREATE TRIGGER thread_erased BEFORE UPDATE OF version ON threads
WHEN OLD.erased_at IS NOT NULL AND (NEW.version <> OLD.version OR NEW.lease_token <> OLD.lease_token)
BEGIN SELECT RAISE(ABORT, 'this thread was erased'); END;
`
