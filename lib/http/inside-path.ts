import { showsColumn } from '../access'
import type { ReadAction } from '../config'
import { notFound } from '../errors'
import { once } from '../memory'
import type { Asked } from '../plan'
import type { Model, Schema } from '../schema'
import type { Rights } from './rights'
import { askedDocumentId, identifyingColumn } from './routes'

/** What a path would say: first whether it is one at all, then which entries it means to whoever asks. */
export interface InsidePath {
  readonly type: string
  readonly kind: Model['kind']
  readonly action: ReadAction
  readonly asks: (model: Model) => (rights: Rights) => Asked
}

type ModelsByRoute = ReadonlyMap<string, Model>

const known = new WeakMap<Schema, ModelsByRoute>()

const modelsByRoute = ({ models }: Schema): ModelsByRoute =>
  new Map([...models.values()].flatMap((model) => (model.route === null ? [] : [[model.route, model]])))

export function modelAt(schema: Schema, { type, kind }: InsidePath): Model {
  const model = once(known, schema, () => modelsByRoute(schema)).get(type)
  if (model?.kind !== kind) throw notFound()
  return model
}

export const listPath = (type: string): InsidePath => ({
  ...{ type, kind: 'collectionType', action: 'find' },
  asks: () => () => ({ kind: 'list' }),
})

export const singlePath = (type: string): InsidePath => ({
  ...{ type, kind: 'singleType', action: 'find' },
  asks: () => () => ({ kind: 'single' }),
})

export const entryPath = (type: string, documentId: string): InsidePath => ({
  ...{ type, kind: 'collectionType', action: 'findOne' },
  asks: () => () => ({ kind: 'one', documentId: askedDocumentId(documentId) }),
})

/** Without its end, it is no path. A name that is none is told as over HTTP: once it is known who asks. */
function askedBy(attribute: string, value: string | number): InsidePath['asks'] {
  return (model) => {
    if (value === '') throw notFound()
    return ({ grants }) => {
      const column = identifyingColumn(model, attribute)
      if (column === null || !showsColumn(grants, model, column)) throw notFound()
      return { kind: 'by', column, value: String(value) }
    }
  }
}

export const pathBy = (type: string, ...[attribute, value]: Parameters<typeof askedBy>): InsidePath => ({
  ...{ type, kind: 'collectionType', action: 'findOne' },
  asks: askedBy(attribute, value),
})
