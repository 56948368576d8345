// holdpoint/react: 46 exports. Written by `npm run api`; do not edit.

import type { Decision, DisplayField, JsonObject, JsonValue } from 'holdpoint'
import type { AnswerBody, BulkBody, BulkResult, CancelBody, Counts, DecideInput, Figures, GrantItem, InboxClient, Me, RequestDetail, RequestItem, RequestListFilter, ThreadDetail } from 'holdpoint/client'

export type ActiveVerdict = Exclude<VerdictState, {
    state: 'idle';
}>;

export declare function AskForm({ request, onSubmit, className }: AskFormProps): ReactNode;

export interface AskFormProps extends PartProps {
    request: RequestItem;
    onSubmit: (answers: Record<string, string | string[]>) => void;
}

export type DecideOptions = Pick<DecideInput, 'comment' | 'always' | 'undoSeconds'>;

export interface Deciding {
    decide: (request: RequestItem, decision: Decision, options?: DecideOptions) => Promise<VerdictState>;
    answer: (request: RequestItem, value: JsonValue, options?: Pick<AnswerBody, 'comment'>) => Promise<VerdictState>;
    cancel: (request: RequestItem, reason: string) => Promise<VerdictState>;
    decideAll: (requests: readonly RequestItem[], body: Omit<BulkBody, 'items'>) => Promise<BulkResult['outcomes']>;
    undo: (id: string) => Promise<VerdictState>;
    sendHeld: (id: string) => Promise<VerdictState>;
    retry: (id: string) => Promise<VerdictState>;
    discard: (id: string) => void;
    of: (id: string) => VerdictState;
    all: readonly ActiveVerdict[];
}

export interface Difference {
    path: string;
    from?: JsonValue;
    to?: JsonValue;
}

export declare function EditForm({ detail, onSubmit, onCancel, problems, className }: EditFormProps): ReactNode;

export interface EditFormProps extends PartProps {
    detail: RequestDetail;
    onSubmit: (args: JsonObject) => void;
    onCancel?: () => void;
    problems?: readonly string[];
}

export declare function FieldValue({ field, args, locale, className }: FieldValueProps): ReactNode;

export interface FieldValueProps extends PartProps {
    field: DisplayField;
    args: JsonObject;
    locale?: string;
}

export declare function InboxProvider({ client, storage, children }: InboxProviderProps): ReactNode;

export interface InboxProviderProps {
    client: InboxClient;
    storage?: HeldStorage;
    children?: ReactNode;
}

export type LineState = 'connecting' | 'live' | 'offline' | 'ended';

export type Loaded<T> = {
    state: 'loading';
    data?: undefined;
    error?: undefined;
} | {
    state: 'ready';
    data: T;
    error?: undefined;
} | {
    state: 'failed';
    data?: T;
    error: unknown;
};

export type LoadedView<T> = Loaded<T> & {
    reload: () => Promise<void>;
};

export interface PartProps {
    className?: string;
}

export interface PartWords {
    yes: string;
    no: string;
    absent: string;
    empty: string;
    showAll: (characters: number) => string;
    showLess: string;
    lineBreaks: (count: number) => string;
    items: (count: number) => string;
    hidden: (count: number) => string;
    riskName: string;
    risk: Record<'low' | 'medium' | 'high', string>;
    where: string;
    affected: string;
    asks: string;
    deadline: string;
    noDeadline: string;
    cause: string;
    modelText: string;
    required: string;
    optional: string;
    other: string;
    notJson: string;
    notANumber: string;
    outOfRange: (from: number | undefined, to: number | undefined) => string;
    missing: string;
    submitEdit: string;
    submitAnswers: string;
    cancel: string;
}

export declare function PartWordsProvider({ words, children }: {
    words: Partial<PartWords>;
    children?: ReactNode;
}): ReactNode;

export declare function RequestCard({ detail, locale, args, children, className }: RequestCardProps): ReactNode;

export interface RequestCardProps extends PartProps {
    detail: RequestDetail;
    locale?: string;
    args?: RequestItem['args'];
    children?: ReactNode;
}

export type RequestChanged =
{
    kind: 'changed';
    now: RequestDetail;
    differences: Difference[];
}
 | {
    kind: 'closed';
    now: RequestDetail;
}
 | {
    kind: 'replaced';
    now: RequestDetail;
    by?: RequestItem;
    differences: Difference[];
};

export interface RequestListView {
    state: 'loading' | 'ready' | 'failed';
    rows: readonly RequestRow[];
    fresh: number;
    more: boolean;
    loadingMore: boolean;
    error?: unknown;
}

export interface RequestRow {
    request: RequestItem;
    state: 'waiting' | 'settled' | 'gone';
}

export interface RequestView {
    state: 'loading' | 'ready' | 'failed' | 'absent';
    detail?: RequestDetail;
    changed?: RequestChanged;
    error?: unknown;
    showNow: () => void;
    reload: () => Promise<void>;
}

export interface RequestsOptions {
    limit?: number;
}

export interface RequestsView extends RequestListView {
    loadMore: () => Promise<void>;
    showFresh: () => void;
    reload: () => Promise<void>;
}

export declare function SafeText({ text, fold, className }: SafeTextProps): ReactNode;

export interface SafeTextProps extends PartProps {
    text: string;
    fold?: number;
}

export declare class SeenChanged extends Error {
    readonly code = "request_changed";
    constructor();
}

export type ThreadView = LoadedView<ThreadDetail> & {
    earlier: 'none' | 'more' | 'loading' | 'failed';
    earlierError?: unknown;
    showEarlier: () => Promise<void>;
};

export type Verdict = ({
    kind: 'decide';
} & Omit<DecideInput, Seen>) | ({
    kind: 'answer';
} & Omit<AnswerBody, Seen>) | ({
    kind: 'cancel';
} & Omit<CancelBody, Seen>);

export type VerdictState = {
    state: 'idle';
} | {
    state: 'sending';
    request: RequestItem;
    verdict: Verdict;
} | {
    state: 'undoable';
    request: RequestItem;
    verdict: Verdict;
    until: number;
} | {
    state: 'done';
    request: RequestItem;
    verdict: Verdict;
} | {
    state: 'withdrawing';
    request: RequestItem;
    verdict: Verdict;
} | {
    state: 'withdrawn';
    request: RequestItem;
    verdict: Verdict;
} | {
    state: 'held';
    request: RequestItem;
    verdict: Verdict;
    perhaps: boolean;
}
 | {
    state: 'failed';
    request: RequestItem;
    verdict: Verdict;
    error: unknown;
    now?: RequestItem;
};

export declare function codeOf(error: unknown): string | undefined;

export declare function isAbsent(error: unknown): boolean;

export declare function isUnreachable(error: unknown): boolean;

export declare function useClient(): InboxClient;

export declare function useCounts(): LoadedView<Counts>;

export declare function useDecide(): Deciding;

export declare function useFigures(days?: number): LoadedView<Figures>;

export declare function useGrants(): LoadedView<GrantItem[]> & {
    revoke: (id: string, reason?: string) => Promise<void>;
};

export declare function useLive(): {
    state: LineState;
    retry: () => void;
};

export declare function useMe(): LoadedView<Me>;

export declare function useRequest(id: string): RequestView;

export declare function useRequests(filter?: RequestListFilter, { limit }?: RequestsOptions): RequestsView;

export declare function useSignOut(): () => Promise<void>;

export declare function useThread(id: string): ThreadView;

// Not exported, and part of the declarations above.

interface HeldStorage {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
}

type Seen = 'version' | 'digest' | 'shown';
