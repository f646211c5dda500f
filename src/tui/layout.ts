export type Size = { readonly columns: number; readonly rows: number };

/** How many lines each part of the screen gets; together they are the height. */
export type Layout = {
  readonly width: number;
  readonly height: number;
  readonly header: number;
  readonly body: number;
  readonly message: number;
  readonly hints: number;
};

const MOST_MESSAGE_LINES = 4;

/** Shares out the screen; on a tiny one the list is the last thing to go. */
export function layoutFor(size: Size, messageLines: number): Layout {
  const width = Math.max(1, size.columns);
  const height = Math.max(1, size.rows);
  const header = height >= 3 ? 1 : 0;
  const hints = height >= 5 ? 1 : 0;
  const most = height >= 12 ? MOST_MESSAGE_LINES : 1;
  const message = height >= 4 ? Math.min(most, Math.max(1, messageLines)) : 0;
  return { width, height, header, hints, message, body: height - header - hints - message };
}

/** How the body is shared between the list and what is told about the selected task. */
export function shareBody(body: number): {
  readonly titles: number;
  readonly list: number;
  readonly detail: number;
} {
  const detail = body >= 11 ? Math.min(10, Math.max(5, Math.floor(body / 3))) : 0;
  const titles = body >= 7 ? 1 : 0;
  return { titles, detail, list: Math.max(1, body - detail - titles) };
}
