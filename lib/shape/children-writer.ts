import type { CompiledBranch } from '../compile'
import type { Child, PagePlace } from '../load'
import { tellsPlace } from '../plan'
import type { LinkRole } from '../schema'
import { pagination } from './pagination'

/** How relations are put: the entries directly, or as `{ "data": … }`. */
export type Wrapping = 'flat' | 'wrapped'

export interface Wrappings {
  readonly relations: Wrapping
  readonly localizations: Wrapping
}

/** `place`: of the page that the children are, where it is told. */
export type WriteChildren = (children: readonly Child[], place: PagePlace | null) => string
export type WriteChild = (child: Child) => string

/** What an element of a zone, or of a relation to any type, says of its own type. */
const tags: Readonly<Record<'zone' | 'morph', string>> = { zone: '__component', morph: '__type' }

/** Components belong to the entry itself and are never wrapped. */
function wrapping(role: LinkRole, wrappings: Wrappings): Wrapping {
  switch (role) {
    case 'component':
    case 'zone':
      return 'flat'
    case 'localizations':
      return wrappings.localizations
    case 'relation':
    case 'media':
    case 'morph':
      return wrappings.relations
  }
}

function typeOf(child: Child): string {
  return child.in === null ? child.type : child.in.of.level.model.uid
}

function tagged(tag: string, write: WriteChild): WriteChild {
  return (child) => {
    const text = child.in === null ? `{"id":${String(child.at)}}` : write(child)
    return `${text.slice(0, -1)},"${tag}":${JSON.stringify(typeOf(child))}}`
  }
}

function list(write: WriteChild): WriteChildren {
  return (children) => {
    let text = '['
    let separator = ''
    for (const child of children) {
      text += separator + write(child)
      separator = ','
    }
    return `${text}]`
  }
}

const one =
  (write: WriteChild): WriteChildren =>
  ([child]) =>
    child === undefined ? 'null' : write(child)

const count: WriteChildren = (children) => `{"count":${String(children.length)}}`

/** What stands around the children of a branch. */
interface ChildrenFrame {
  readonly before: string
  readonly after: (place: PagePlace | null) => string
}

function frameOf({ branch: { field, page } }: CompiledBranch, wrappings: Wrappings): ChildrenFrame | null {
  if (page !== null && tellsPlace(page)) {
    const nowhere = { total: null, edges: null }
    const meta = (place: PagePlace | null): string =>
      JSON.stringify({ pagination: pagination(page, place ?? nowhere) })
    return { before: '{"data":', after: (place) => `,"meta":${meta(place)}}` }
  }
  return wrapping(field.role, wrappings) === 'flat' ? null : { before: '{"data":', after: () => '}' }
}

/** How the children of a branch are written one by one. */
export interface Stepwise extends ChildrenFrame {
  readonly each: WriteChild
  readonly many: boolean
  /** Each is the entry itself and nothing besides. */
  readonly isPlain: boolean
}

export interface ChildrenWriter {
  readonly write: WriteChildren
  readonly stepwise: Stepwise | null
}

export function childrenWriter(
  compiled: CompiledBranch,
  wrappings: Wrappings,
  write: WriteChild,
): ChildrenWriter {
  const { field, answer } = compiled.branch
  if (answer === 'count') return { write: count, stepwise: null }
  const { many, role } = field
  const several = field.targets.length !== 1 || role === 'zone'
  const tag = several && (role === 'zone' || role === 'morph') ? tags[role] : null
  const each = tag === null ? write : tagged(tag, write)
  const inner = many ? list(each) : one(each)
  const frame = frameOf(compiled, wrappings)
  const { before, after } = frame ?? { before: '', after: () => '' }
  return {
    write: frame === null ? inner : (children, place) => before + inner(children, place) + after(place),
    stepwise: {
      before: many ? `${before}[` : before,
      after: many ? (place) => `]${after(place)}` : after,
      each,
      many,
      isPlain: tag === null,
    },
  }
}
