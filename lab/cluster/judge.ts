/** What came of the requests to one topology. */
export interface Verdict {
  asked: number
  /** Neither an answer nor word that the client's own still holds, though a server was there that could answer. */
  failed: number
  /** 503 while none of the servers answered anybody. */
  refused: number
  /** Older than what was committed, or the server itself had shown, before the request was sent. */
  stale: number
  /** Of two states of the content. */
  torn: number
  /** The answer to another request. */
  travelling: number
  hits: number
}

export const nothing = (): Verdict => ({
  asked: 0,
  failed: 0,
  refused: 0,
  stale: 0,
  torn: 0,
  travelling: 0,
  hits: 0,
})

interface Shown {
  readonly name: string
  readonly country: { readonly name: string } | null
}

interface ShownPage {
  readonly data: readonly Shown[]
  readonly meta: { readonly pagination: { readonly pageSize: number } }
}

export interface AskedPage {
  readonly pageSize: number
  /** The least version that the answer may show. */
  readonly least: number
  /** Whether there was a moment at which none of the servers answered by itself. */
  readonly isDown: boolean
}

/** Holds an answer against what was asked for, and when. */
export function judge(
  verdict: Verdict,
  { pageSize, least, isDown }: AskedPage,
  status: number,
  body: string,
): void {
  verdict.asked += 1
  if (status !== 200) {
    verdict[status === 503 && isDown ? 'refused' : 'failed'] += 1
    return
  }
  const { data, meta } = JSON.parse(body) as ShownPage
  if (meta.pagination.pageSize !== pageSize) verdict.travelling += 1
  const [author] = data
  if (author?.country?.name !== author?.name) verdict.torn += 1
  if (!(Number(author?.name) >= least)) verdict.stale += 1
}

const columns = ['asked', 'failed', 'refused', 'stale', 'torn', 'travelling', 'hits'] as const

export function table(verdicts: ReadonlyMap<string, Verdict>): string {
  const rows = [...verdicts].map(([name, verdict]) => [
    name,
    ...columns.map((column) => String(verdict[column])),
  ])
  const all = [['topology', ...columns], ['---', ...columns.map(() => '---:')], ...rows]
  return all.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** Nobody may be told what is wrong; that an answer fails is for those alone who have nobody else to ask. */
export const isFaulty = ({ asked, failed, stale, torn, travelling }: Verdict): boolean =>
  asked === 0 || failed + stale + torn + travelling > 0
