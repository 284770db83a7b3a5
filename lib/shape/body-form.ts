import type { RowWriter } from './pieces'

/** What stands around the entries of an answer. */
export type BodyForm =
  | { readonly kind: 'data' }
  | { readonly kind: 'total' }
  | {
      readonly kind: 'bare'
      /** The language that is told to be the default, in entries that are languages. */
      readonly defaultLocale: string | null
    }

/** `entry` is the text of an object that is not empty. */
function withDefault(entry: string, defaultLocale: string): string {
  const { code } = JSON.parse(entry) as { readonly code?: unknown }
  return `${entry.slice(0, -1)},"isDefault":${String(code === defaultLocale)}}`
}

export function finished(
  writer: RowWriter,
  { defaultLocale }: Extract<BodyForm, { readonly kind: 'bare' }>,
): RowWriter {
  if (defaultLocale === null) return writer
  return { ...writer, write: (rows, at) => withDefault(writer.write(rows, at), defaultLocale) }
}
