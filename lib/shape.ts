// Comes in: a compiled plan, and then the rows loaded for it. Goes out: the body as JSON text. Refused: nothing; what may
// not be shown was never read, so that nothing has to be taken out here.
import type { Compiled, Loaded } from './load'
import { rowWriter, type Style } from './shape/entry'
import { pagination } from './shape/pagination'

export type { Wrapping } from './shape/branch'
export type { Format, Style } from './shape/entry'
export type { Reading } from './shape/value'

/**
 * The body of an answer; null where the one entry that was asked for is not there. `meta`: JSON text of members that
 * stand in `meta` besides the page.
 */
export type WriteBody = (loaded: Loaded, meta: string | null) => string | null

export function makeWriter({ root, page }: Compiled, style: Style): WriteBody {
  const write = rowWriter(root, style, new Map())
  if (page === null)
    return ({ rows }, meta) =>
      rows.rows.length === 0 ? null : `{"data":${write(rows, 0)},"meta":{${meta ?? ''}}}`
  return ({ rows, total }, meta) => {
    let text = '{"data":['
    for (let at = 0; at < rows.rows.length; at += 1)
      text += at === 0 ? write(rows, at) : `,${write(rows, at)}`
    const place = JSON.stringify(pagination(page, total))
    return `${text}],"meta":{"pagination":${place}${meta === null ? '' : `,${meta}`}}}`
  }
}
