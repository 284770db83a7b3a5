// Cursors that a page has told, and such as nobody told: of lists that there are, with values of any kind.
import { type Chance, happens, pick } from '../requests/chance'
import { numbers, stored, text } from '../requests/hostile-texts'

/** A list that has pages by cursors, and what one of them told. */
export interface KnownList {
  readonly query: string
  readonly list: string
  readonly told: string
}

const sorts = [
  ...['id', 'title', 'views:desc', 'bigViews', 'rating:desc', 'price', 'featured', 'publishDate', 'airTime'],
  ...[
    'startsAt:desc',
    'stampedAt',
    'kind,title:desc',
    'author.name',
    'author.articles.$count',
    'tags.$count,id:desc',
  ],
  ...['seo.metaTitle', 'comments.$count:desc'],
]

/** Of the body of a page, whose cursors may stand anywhere in it. */
const cursorIn = (body: string): string | undefined => /"endCursor":"([\w-]+)"/.exec(body)?.[1]

type AskAsReader = (path: string) => Promise<{ readonly text: string }>

export async function knownLists(ask: AskAsReader): Promise<readonly KnownList[]> {
  const known: KnownList[] = []
  for (const sort of sorts) {
    const query = `articles?sort=${sort}`
    const path = `/own/${query}&pagination[after]=&pagination[pageSize]=2`
    const { text: body } = await ask(path)
    const told = cursorIn(body)
    if (told === undefined) throw new Error(`${path} has no cursor: ${body.slice(0, 300)}`)
    const [list] = JSON.parse(Buffer.from(told, 'base64url').toString()) as [string]
    known.push({ query, list, told })
  }
  return known
}

const numberText = (chance: Chance): string =>
  pick(chance, [...numbers, '1e999', '-1e-400', 'NaN', '-Infinity', '9223372036854775808', '0x1', '1_000'])

const instants = [
  '2024-02-30',
  '2024-02-29 23:59:60',
  '99:99:99',
  'infinity',
  '0000-00-00 00:00:00',
  '10000-01-01',
]

/** Bytes that are no UTF-8: of no letter, of half a pair, too many of them. */
const noLetters = ['////', 'true', '7aCA', 'wK8=']

function forgedKey(chance: Chance): unknown {
  switch (chance(8)) {
    case 0:
      return null
    case 1:
      return pick(chance, [1, true, {}, [], '', 'x1'])
    case 2:
    case 3:
      return `n${numberText(chance)}`
    case 4:
      return `t${pick(chance, instants)}`
    case 5:
      return `b${happens(chance, 50) ? pick(chance, noLetters) : Buffer.from(text(chance)).toString('base64')}`
    default:
      return `t${happens(chance, 50) ? pick(chance, stored) : text(chance)}`
  }
}

function forged(chance: Chance, { list }: KnownList): string {
  const id = happens(chance, 90) ? chance(300) : pick(chance, [-1, 1.5, 2 ** 53, null, 'x'])
  const keys = Array.from({ length: happens(chance, 90) ? 1 + chance(2) : chance(40) }, () =>
    forgedKey(chance),
  )
  return Buffer.from(JSON.stringify([list, id, ...keys])).toString('base64url')
}

function spoiled(chance: Chance, { told }: KnownList): string {
  const at = chance(told.length)
  return told.slice(0, at) + pick(chance, ['', 'A', '-', '=', '%00', '💥', told]) + told.slice(at + chance(3))
}

function cursor(chance: Chance, known: KnownList): string {
  switch (chance(5)) {
    case 0:
      return known.told
    case 1:
      return spoiled(chance, known)
    case 2:
      return happens(chance, 50) ? '' : text(chance)
    default:
      return forged(chance, known)
  }
}

/** Behind the mount. */
export function keysetRequest(chance: Chance, known: readonly KnownList[]): string {
  const list = pick(chance, known)
  const side = pick(chance, ['after', 'before'])
  const counted = happens(chance, 30) ? '&pagination[withCount]=true' : ''
  const size = `&pagination[pageSize]=${String(1 + chance(6))}`
  return `${list.query}${size}${counted}&pagination[${side}]=${cursor(chance, list)}`
}
