import { forbidden } from '../errors'
import type { RawObject } from '../query'
import { makeDeadline } from '../read'
import type { Model } from '../schema'
import type { Content } from './content'
import type { ListObjects } from './extension'
import { readObjects } from './respond-to-request'
import { mayRead, type Rights } from './rights'
import { contentManner } from './routes'

/** Reads a list as objects, with rights that are known. */
export async function readList(
  content: Content,
  rights: Rights,
  model: Model,
  text: RawObject,
): Promise<ListObjects> {
  if (!mayRead(content.settings, rights.grants, model, 'find')) throw forbidden()
  const stop = makeDeadline(rights.limits.timeout)
  const conditions = { ifNoneMatch: undefined, acceptEncoding: undefined }
  const list = { manner: contentManner, format: 'v5', asked: { kind: 'list' } } as const
  try {
    const own = { model, text, stop, conditions, observation: null, client: null }
    return (await readObjects(content, { ...rights, ...list, ...own })) as ListObjects
  } finally {
    stop.finish()
  }
}
