import { type Identity, rolesOfHostAnswer, showsColumn } from '../access'
import type { ReadAction, Role } from '../config'
import { forbidden, malformed, notFound, unauthorized } from '../errors'
import { askOnce } from '../freshness'
import { makeStop } from '../load'
import type { Asked } from '../plan'
import { type QueryLimits, type RawObject, readHostQuery, UnfitQuery } from '../query'
import type { Model } from '../schema'
import type { Bytes } from '../shape'
import type { PlainReader } from '../typed'
import type { Content } from './content'
import { ownAnswer, raiseLoadError } from './errors'
import type { InFlight } from './in-flight'
import { asHolding } from './limits'
import type { Rights } from './rights'
import { contentManner, askedDocumentId } from './routes'
import type { Settling } from './settle'
import { toldAnswer } from './told-answer'
import { mayRead } from './withheld-reads'

/** What a call in the process may say besides its query. */
export interface InsideOptions {
  /** Ends the reading, and what it asks of the database. */
  readonly signal?: AbortSignal
}

/** What is asked for, in words that no path stands for. */
interface InsideAsking {
  readonly type: string
  readonly kind: Model['kind']
  readonly action: ReadAction
  readonly asks: (model: Model, rights: Rights) => Asked
  readonly query: object | string | undefined
  readonly signal: AbortSignal | undefined
}

function queryOf(query: InsideAsking['query'], limits: QueryLimits): string | RawObject {
  if (query === undefined) return ''
  if (typeof query === 'string') return query.replace(/^\?/, '')
  try {
    return readHostQuery(query, limits)
  } catch (error) {
    throw error instanceof UnfitQuery ? malformed(error.path, `Invalid query: ${error.problem}`) : error
  }
}

/** What may be kept is text, so that each caller has objects of his own. */
const objectsOf = ({ pieces }: Bytes): unknown => JSON.parse(Buffer.concat(pieces).toString())

function modelAt({ settings }: Content, { type, kind }: InsideAsking): Model {
  const model = [...settings.schema.models.values()].find(({ route }) => route === type)
  if (model?.kind !== kind) throw notFound()
  return model
}

async function answerTo(content: Content, identity: Identity, asking: InsideAsking): Promise<unknown> {
  const model = modelAt(content, asking)
  const rights = await content.rights(identity, askOnce(content.freshness.state))
  if (!mayRead(content.settings, rights.grants, model, asking.action)) throw forbidden()
  asking.signal?.throwIfAborted()
  const stop = makeStop(rights.limits.timeout)
  asking.signal?.addEventListener('abort', stop.stop, { once: true })
  try {
    const answer = await toldAnswer(content, {
      ...rights,
      manner: contentManner,
      model,
      asked: asking.asks(model, rights),
      format: 'v5',
      text: queryOf(asking.query, rights.limits.query),
      conditions: { ifNoneMatch: undefined, acceptEncoding: undefined },
      stop,
      recorder: null,
    })
    if (answer === null || answer.kind === 'unchanged') throw notFound()
    return objectsOf(answer.bytes)
  } catch (error) {
    throw asHolding(rights.limits, error)
  } finally {
    asking.signal?.removeEventListener('abort', stop.stop)
    stop.finish()
  }
}

function askedBy(attribute: string, value: string | number): InsideAsking['asks'] {
  return (model, { grants }) => {
    const column = model.columns.get(attribute)
    if (column?.identifies !== true || !showsColumn(grants, model, column)) throw notFound()
    return { kind: 'by', column, value: String(value) }
  }
}

export type ReadInside = (who: Role) => PlainReader<InsideOptions>

/** Reads as a request of that role would, with its permission, limits, queue, cache and errors, and without HTTP. */
export function readInside({ settled }: Settling, requests: InFlight): ReadInside {
  const read = async (identity: Identity, asking: InsideAsking): Promise<never> => {
    asking.signal?.throwIfAborted()
    const leave = requests.enter()
    try {
      const { content } = await settled().catch(raiseLoadError)
      // Typed by whoever asks: what stands in an answer is not known here.
      return (await answerTo(content, identity, asking).catch((error: unknown) => {
        asking.signal?.throwIfAborted()
        throw ownAnswer(error, content.settings.logger) ?? error
      })) as never
    } finally {
      leave()
    }
  }
  return (who) => {
    const answered = rolesOfHostAnswer(who)
    if (answered === null) throw unauthorized()
    const identity: Identity = { kind: 'roles', ...answered }
    const reads =
      (kind: Model['kind'], action: ReadAction) =>
      (type: string, asks: InsideAsking['asks']) =>
      (query?: object | string, { signal }: InsideOptions = {}): Promise<never> =>
        read(identity, { type, kind, action, asks, query, signal })
    const [list, one, single] = [
      reads('collectionType', 'find'),
      reads('collectionType', 'findOne'),
      reads('singleType', 'find'),
    ]
    return {
      find: (type, ...asked) => list(type, () => ({ kind: 'list' }))(...asked),
      findOne: (type, documentId, ...asked) =>
        one(type, () => ({ kind: 'one', documentId: askedDocumentId(documentId) }))(...asked),
      by: (type, attribute, value, ...asked) => one(type, askedBy(attribute, value))(...asked),
      single: (type, ...asked) => single(type, () => ({ kind: 'single' }))(...asked),
    }
  }
}
