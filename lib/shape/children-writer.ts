import type { CompiledBranch } from '../compile'
import type { Child } from '../load'
import { type ChildrenForm, childrenForm, typeOf, type Wrappings } from './children-form'

/** `total`: of how many the children are a page; null where it is not counted. */
export type WriteChildren = (children: readonly Child[], total: number | null) => string
export type WriteChild = (child: Child) => string

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
  readonly after: (total: number | null) => string
}

function frameOf({ isWrapped, meta }: ChildrenForm): ChildrenFrame | null {
  if (!isWrapped) return null
  const closing = meta === null ? null : (total: number | null) => `,"meta":${JSON.stringify(meta(total))}}`
  return { before: '{"data":', after: closing ?? (() => '}') }
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
  if (compiled.branch.answer === 'count') return { write: count, stepwise: null }
  const form = childrenForm(compiled, wrappings)
  const { many, tag } = form
  const each = tag === null ? write : tagged(tag, write)
  const inner = many ? list(each) : one(each)
  const frame = frameOf(form)
  const { before, after } = frame ?? { before: '', after: () => '' }
  return {
    write: frame === null ? inner : (children, total) => before + inner(children, total) + after(total),
    stepwise: {
      before: many ? `${before}[` : before,
      after: many ? (total) => `]${after(total)}` : after,
      each,
      many,
      isPlain: tag === null,
    },
  }
}
