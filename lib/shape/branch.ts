import type { Child, CompiledBranch } from '../load'
import type { LinkRole } from '../schema'
import { pagination } from './pagination'

/** How relations are put: the entries directly, or as `{ "data": … }`. */
export type Wrapping = 'flat' | 'wrapped'

export interface Wrappings {
  readonly relations: Wrapping
  readonly localizations: Wrapping
}

/** `total`: of how many entries the children are a page, where that was asked for. */
export type WriteChildren = (children: readonly Child[], total: number | null) => string
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

export function childrenWriter(
  { branch }: CompiledBranch,
  wrappings: Wrappings,
  write: WriteChild,
): WriteChildren {
  const { field, answer } = branch
  if (answer === 'count') return count
  const several = field.targets.length !== 1 || field.role === 'zone'
  const each =
    several && (field.role === 'zone' || field.role === 'morph') ? tagged(tags[field.role], write) : write
  const inner = field.many ? list(each) : one(each)
  const page = branch.page
  if (page?.withCount === true) {
    return (children, total) => {
      const meta = JSON.stringify({ pagination: pagination(page, total) })
      return `{"data":${inner(children, total)},"meta":${meta}}`
    }
  }
  const isFlat = wrapping(field.role, wrappings) === 'flat'
  return isFlat ? inner : (children, total) => `{"data":${inner(children, total)}}`
}
