// Comes in: which tables and rows a database says were changed. Goes out: the types and documents that this means, to whoever
// is to be told, and the tags by which answers are found that it makes old. Refused: nothing; of what somebody may not read he is
// told nothing.
import { type AnswerTags, makeAnswerTags } from './changes/answer-tags'
import { type ChangeStream, makeChangeStream } from './changes/change-stream'
import { anyChange, changedOwners, contentChange } from './changes/content-change'
import { tableOwners } from './changes/table-owners'
import { tellHook } from './changes/tell-hook'
import type { ChangeHook, Logger } from './config'
import type { OnChanged } from './feed'
import type { Schema } from './schema'

export type { AnswerSource, AnswerTags } from './changes/answer-tags'
export type { ChangeStream, Listener, News } from './changes/change-stream'
export type { NumberedChange } from './changes/kept-changes'
export { shownChange, type Sight } from './changes/shown-change'

export interface ChangesSettings {
  readonly schema: Schema
  readonly logger: Logger
  readonly onChange: ChangeHook | undefined
  /** Whether a change is told to whoever listens. */
  readonly isHeard: boolean
  /** Whether a change of a table, of whatever content, changes what may be read, or what is read where it is not said. */
  readonly decides: (table: string) => boolean
}

export interface Changes {
  /** Null where nobody is to be told. */
  readonly onChanged: OnChanged | null
  readonly tagsOf: AnswerTags
  /** Null where nobody listens. */
  readonly stream: ChangeStream | null
  readonly close: () => void
}

export function makeChanges({ schema, logger, onChange, isHeard, decides }: ChangesSettings): Changes {
  const ownerOf = tableOwners(schema)
  const stream = isHeard ? makeChangeStream() : null
  const hook = onChange === undefined ? null : tellHook(onChange, logger)
  const tellAny = (): void => {
    hook?.tell(anyChange)
    stream?.tell(null)
  }
  const onChanged: OnChanged = (tables) => {
    if (tables === null || [...tables.keys()].some(decides)) {
      tellAny()
      return
    }
    const owners = changedOwners(tables, ownerOf)
    const change = contentChange(owners)
    if (change === null) return
    hook?.tell(change)
    stream?.tell(owners)
  }
  return {
    onChanged: hook === null && stream === null ? null : onChanged,
    tagsOf: makeAnswerTags(ownerOf),
    stream,
    close: () => {
      hook?.close()
      stream?.close()
    },
  }
}
