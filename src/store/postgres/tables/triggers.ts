/**
 * The outbox, written by triggers, whichever build makes the change. Numbers are not given in the order of commits. So each row has the number of its
 * transaction, readers order by both, and see only rows of transactions before the oldest one that is still open: no row can appear behind a reader.
 * `outbox_pruned` has the highest position that was deleted.
 */
export function createOutbox(prefix: string): string {
  const tell = (name: string, when: string) =>
    `CREATE TRIGGER outbox_${name} AFTER ${when} EXECUTE FUNCTION ${prefix}tell('${name}');`
  return `
CREATE TABLE ${prefix}outbox (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  no bigint GENERATED ALWAYS AS IDENTITY,
  tenant text COLLATE "C" NOT NULL,
  thread bigint NOT NULL,
  subject text NOT NULL,
  id text COLLATE "C" NOT NULL,
  what text NOT NULL,
  version bigint NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY (xid, no)
);
CREATE TABLE ${prefix}outbox_pruned (xid xid8 NOT NULL, no bigint NOT NULL);
INSERT INTO ${prefix}outbox_pruned (xid, no) VALUES ('0', 0);
${tellFunction(prefix)}
${tell('opened', `INSERT ON ${prefix}requests FOR EACH ROW`)}
${tell('settled', `UPDATE OF status ON ${prefix}requests FOR EACH ROW WHEN (NEW.status <> OLD.status)`)}
${tell(
  'escalated',
  `UPDATE OF expires_at ON ${prefix}requests FOR EACH ROW
  WHEN (NEW.expires_at IS NULL AND OLD.expires_at IS NOT NULL AND NEW.status = 'open' AND OLD.status = 'open')`,
)}
${tell('assigned', `UPDATE OF assigned_to ON ${prefix}requests FOR EACH ROW`)}
${tell('commented', `UPDATE OF comments ON ${prefix}requests FOR EACH ROW`)}
${tell('created', `INSERT ON ${prefix}grants FOR EACH ROW`)}
${tell('revoked', `UPDATE OF revoked ON ${prefix}grants FOR EACH ROW WHEN (OLD.revoked IS NULL AND NEW.revoked IS NOT NULL)`)}
`
}

/** The row of a thread is written before its requests and grants, so it has the time of the append. Notes have their own. */
const tellFunction = (prefix: string) => `
CREATE FUNCTION ${prefix}tell() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  happened text := TG_ARGV[0];
  time bigint;
BEGIN
  IF happened IN ('created', 'revoked') THEN
    INSERT INTO ${prefix}outbox (tenant, thread, subject, id, what, version, at)
      SELECT NEW.tenant, NEW.thread, 'grant', NEW.id, happened, 0, t.at FROM ${prefix}threads t WHERE t.no = NEW.thread;
    RETURN NULL;
  END IF;
  IF happened IN ('assigned', 'commented') THEN
    time := NEW.noted_at;
  ELSE
    SELECT t.at INTO time FROM ${prefix}threads t WHERE t.no = NEW.thread;
  END IF;
  IF happened = 'settled' THEN
    happened := CASE WHEN NEW.status = 'open' THEN 'reopened' ELSE NEW.status END;
  END IF;
  INSERT INTO ${prefix}outbox (tenant, thread, subject, id, what, version, at)
    VALUES (NEW.tenant, NEW.thread, 'request', NEW.id, happened, NEW.version, time);
  RETURN NULL;
END
$$;`

/** Fills in the columns that an earlier build does not know: once for what is there, and whenever such a build opens a request. */
export function fillIn(prefix: string): string {
  return `${createFillIn(prefix)}
UPDATE ${prefix}requests r SET ${FILLED_IN(prefix)};`
}

/** Columns of a request `r`, from the entry that opened it. */
export const FILLED_IN = (prefix: string): string => `(readers, risk, text) = (
  SELECT c.readers, c.risk, c.words FROM ${prefix}threads t JOIN ${prefix}entries e ON e.thread = t.no,
    ${prefix}request_columns(e.body, t.id) c WHERE t.no = r.thread AND e.seq = r.opened)`

/** The trigger that fills in new requests. */
export function createFillIn(prefix: string): string {
  return `${requestColumns(prefix)}
CREATE FUNCTION ${prefix}fill_in() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT c.readers, c.risk, c.words INTO NEW.readers, NEW.risk, NEW.text FROM ${prefix}threads t JOIN ${prefix}entries e ON e.thread = t.no,
    ${prefix}request_columns(e.body, t.id) c WHERE t.no = NEW.thread AND e.seq = NEW.opened;
  RETURN NEW;
END
$$;
CREATE TRIGGER request_filled_in BEFORE INSERT ON ${prefix}requests FOR EACH ROW WHEN (NEW.readers IS NULL)
  EXECUTE FUNCTION ${prefix}fill_in();`
}

/** The columns of a request, read from the entry that opened it, without its description, which may quote secret arguments. They stay `NULL` if it cannot be read. */
const requestColumns = (prefix: string) => `
CREATE FUNCTION ${prefix}request_columns(body text, thread text, OUT readers text, OUT risk text, OUT words text) LANGUAGE plpgsql AS $$
DECLARE
  entry json;
BEGIN
  words := '';
  entry := body::json;
  IF entry->>'type' IS DISTINCT FROM 'request.opened' THEN
    RETURN;
  END IF;
  words := left(lower(concat_ws(' ', entry->>'toolName', entry->>'agent', thread, (
    SELECT string_agg(a.value #>> '{}', ' ') FROM json_each(CASE WHEN json_typeof(entry->'args') = 'object' THEN entry->'args' ELSE '{}' END) a
    WHERE json_typeof(a.value) IN ('string', 'number')
      AND a.key !~* 'pass|secret|token|key|credential|authorization|cookie|cv[vc]'))), 2000);
  risk := entry->>'risk';
  readers := CASE WHEN coalesce(json_typeof(entry->'reviewers'), 'null') <> 'array' THEN '*' ELSE (
    SELECT ',' || coalesce(string_agg(DISTINCT to_json(n.name)::text, ','), '') || ',' FROM (
      SELECT CASE WHEN value LIKE 'user:%' OR value LIKE 'group:%' THEN value ELSE 'user:' || value END AS name
      FROM json_array_elements_text(entry->'reviewers')) n) END;
EXCEPTION WHEN data_exception THEN
  readers := NULL;
END
$$;`

/** Fills in the reviewer lists of requests that have several. */
export function fillInLists(prefix: string): string {
  return `${createReviewerLists(prefix).trim()}
UPDATE ${prefix}requests r SET lists = ${prefix}reviewer_lists(e.body) FROM ${prefix}entries e
  WHERE e.thread = r.thread AND e.seq = r.opened AND strpos(e.body, '"reviewerLists"') > 0;`
}

/** The reviewer lists in the entry that opened a request. An entry that cannot be read has none. */
export const createReviewerLists = (prefix: string): string => `
CREATE FUNCTION ${prefix}reviewer_lists(body text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN json_typeof(body::json->'reviewerLists') = 'array' THEN body::json->>'reviewerLists' END;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;`
