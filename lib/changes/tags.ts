import { createHash } from 'node:crypto'
import type { Model } from '../schema'
import { toldName } from './table-owners'

/** Every answer carries it. */
export const anyTag = 'content'

/** Carried by answers that were also read from what is not named to whoever asks; goes with every change. */
export const restTag = 'content.rest'

/** Letters that no cache takes for the end of a tag, nor refuses. */
const plain = /^[\w.-]{1,64}$/

const word = (text: string): string =>
  plain.test(text) ? text : createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** Answers that any change among the entries of a type may change: lists, and what is found through it. */
export const typeTag = (model: Model): string => word(toldName(model))

/** Answers that show one entry, which has a tag of its own, and hang on no other. */
export const oneTag = (model: Model): string => word(`${toldName(model)}.one`)

/** Answers that were read from links or components of a type's entries. */
export const partsTag = (model: Model): string => word(`${toldName(model)}.parts`)

/** Answers that show an entry, by its document or the number of its row. */
export const entryTag = (model: Model, id: string): string => `${typeTag(model)}/${word(id)}`
