import type { Token } from './tokens'

/** What stands between a list's brackets or a call's. */
export interface SpreadPart {
  readonly spread: boolean
  readonly value: Expression
}

export interface Member {
  /** Null where the value is spread. */
  readonly key: Expression | null
  readonly value: Expression
}

/** What a value is given to: a name, or names for its members. */
export type Pattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'members'; readonly members: readonly (readonly [string, Pattern])[] }

export type Expression =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null | undefined }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'call'; readonly callee: Expression; readonly given: readonly SpreadPart[] }
  | { readonly kind: 'list'; readonly parts: readonly SpreadPart[] }
  | { readonly kind: 'record'; readonly members: readonly Member[] }
  | { readonly kind: 'function'; readonly patterns: readonly Pattern[]; readonly body: Expression | Block }
  | { readonly kind: 'both'; readonly sign: string; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'choice'
      readonly test: Expression
      readonly then: Expression
      readonly otherwise: Expression
    }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'template'; readonly texts: readonly string[]; readonly holes: readonly Expression[] }
  /** What is understood by nobody here. */
  | { readonly kind: 'unknown' }

/** What stands between a function's braces, read when it is called. */
export interface Block {
  readonly kind: 'block'
  readonly tokens: readonly Token[]
}

export const unknownExpression: Expression = { kind: 'unknown' }
