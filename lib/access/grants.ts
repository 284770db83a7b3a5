import type { Action } from '../config'
import type { Model, Schema } from '../schema'

/** What one role, or several together, may do. */
export interface Grants {
  /** Equal for roles that may do the same, different for all others: what an answer may be shared by. */
  readonly key: string
  may(model: Model, action: Action): boolean
  /** What may be asked in words of the client's own; null: all of it. */
  readonly free: Grants | null
}

const actions = ['find', 'findOne', 'drafts'] as const

/** Asks once for every type and keeps the answers, so that one request sees one set of rights. */
export function makeGrants(
  schema: Schema,
  may: (model: Model, action: Action) => boolean,
  free: Grants | null = null,
): Grants {
  const models = [...schema.models.values()].filter(({ kind }) => kind !== 'component')
  const granted = new Set<string>()
  let key = ''
  for (const model of models) {
    for (const action of actions) {
      const allowed = may(model, action)
      if (allowed) granted.add(`${action} ${model.uid}`)
      key += allowed ? '1' : '0'
    }
  }
  if (free !== null) key += `, by itself ${free.key}`
  return { key, free, may: (model, action) => granted.has(`${action} ${model.uid}`) }
}
