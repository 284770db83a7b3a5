import type { Uid } from '../schema'

/** Something that is populated and that an answer leaves out. */
export interface Removal {
  /** Dotted names of attributes, from the type that was asked for. */
  readonly path: string
  /** Null where it was not looked for, or could be any. */
  readonly type: Uid | null
  /** Which grant of the type is missing, or holds for some rows or attributes only; or it lies below what is removed, or was populated with keys of one type. */
  readonly reason: 'find' | 'drafts' | 'rows' | 'fields' | 'above' | 'keys'
  /** The rules that hold there, by where the host wrote them; none where the reason is no rule. */
  readonly rules: readonly string[]
  /** The attribute itself, or only those of its entries that are of this type; or it is not in all entries around it. */
  readonly missing: 'attribute' | 'entries' | 'attribute of some entries'
}
