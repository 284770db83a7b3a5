/** Runs a statement on any connection of the pool. */
export type AskRows = (sql: string) => Promise<readonly (readonly unknown[])[]>

/** A text within such a statement. */
export const quoted = (text: string): string => `'${text.replaceAll(`'`, `''`)}'`
