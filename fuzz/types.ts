import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { edgeTexts } from '../spec/agreement/edges'

/** What a grammar has to know of a type: names that mean something, and where links lead. */
export interface Known {
  readonly scalars: readonly string[]
  /** What each of them holds, by the kinds of `edgeTexts`. */
  readonly kinds: ReadonlyMap<string, string>
  readonly links: readonly (readonly [name: string, to: Known | undefined])[]
  /** Those of the links that lead to many of one type. */
  readonly lists: readonly (readonly [name: string, to: Known])[]
}

interface Attribute {
  readonly type: string
  readonly target?: string
  readonly component?: string
  readonly relation?: string
  readonly repeatable?: boolean
  readonly multiple?: boolean
}

interface Definition {
  readonly attributes: Readonly<Record<string, Attribute>>
}

const isLink = ({ type }: Attribute): boolean =>
  ['relation', 'media', 'component', 'dynamiczone'].includes(type)

const isList = ({ relation = '', repeatable, multiple }: Attribute): boolean =>
  relation.endsWith('Many') || repeatable === true || multiple === true

const targetOf = ({ type, target, component }: Attribute): string =>
  type === 'media' ? 'file' : (component ?? target?.replace(/^.*\./, '') ?? '')

const ofEntries = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']
const kindsOfEntries: readonly (readonly [name: string, kind: string])[] = [
  ['id', 'id'],
  ...['createdAt', 'updatedAt', 'publishedAt'].map((name) => [name, 'datetime'] as const),
]
const file: Known = {
  scalars: ['id', 'documentId', 'name', 'url', 'mime', 'size', 'width'],
  kinds: new Map([...kindsOfEntries, ['size', 'decimal'], ['width', 'integer']]),
  links: [],
  lists: [],
}

/** The kinds of texts and of JSON are one each. */
const kindOf = ({ type }: Attribute): string =>
  type === 'blocks' ? 'json' : type in edgeTexts ? type : 'string'

function definitionsIn(folder: string): [string, Definition][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .map((path) => {
      const definition = JSON.parse(readFileSync(join(folder, path), 'utf8')) as Definition
      const component = /components\/(.+)\/(.+)\.json$/.exec(path)
      const name =
        component === null ? basename(join(path, '..')) : `${String(component[1])}.${String(component[2])}`
      return [name, definition]
    })
}

/** By their singular names, linked to each other. */
export function typesIn(folder: string): ReadonlyMap<string, Known> {
  const types = new Map<string, Known>([['file', file]])
  const definitions = definitionsIn(folder)
  for (const [name, { attributes }] of definitions) {
    const own = Object.entries(attributes)
    const scalars = own.filter(([, attribute]) => !isLink(attribute)).map(([key]) => key)
    const links = own.filter(([, attribute]) => isLink(attribute))
    types.set(name, {
      scalars: [...scalars, ...ofEntries],
      kinds: new Map([...own.map(([key, one]) => [key, kindOf(one)] as const), ...kindsOfEntries]),
      // Asked for when all types are known.
      get links() {
        return links.map(([key, attribute]) => [key, types.get(targetOf(attribute))] as const)
      },
      get lists() {
        return links.flatMap(([key, attribute]) => {
          const to = types.get(targetOf(attribute))
          return to !== undefined && isList(attribute) ? [[key, to] as const] : []
        })
      },
    })
  }
  return types
}
