const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;
const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;

/** An ISO 8601 time as UTC text; a date alone is its midnight. Null when it is no such time. */
export function readTimestamp(text: string): string | null {
  const parts = ISO_8601.exec(text);
  if (parts === null || !isCalendarDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) {
    return null;
  }
  if (UTC.test(text)) return Number.isNaN(Date.parse(text)) ? null : text;
  const time = text.slice(11).replace(',', '.').replace(/z$/, 'Z');
  const zoned = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/.test(time) ? time : `${time || '00:00'}Z`;
  const full = zoned.replace(
    /([+-]\d{2})(\d{2})?$/,
    (_, hours: string, minutes?: string) => `${hours}:${minutes ?? '00'}`,
  );
  const instant = Date.parse(`${text.slice(0, 10)}T${full}`);
  return Number.isNaN(instant) ? null : new Date(instant).toISOString().replace('.000Z', 'Z');
}

function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
