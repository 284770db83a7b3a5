import type { Purpose } from '../config'
import type { Model } from '../schema'
import type { Compiled, CompiledLevel } from './compiled-level'
import type { Statement } from './statement'

/** One level of a plan, with what its statements are there for. Branches that share one share it here. */
export interface DescribedLevel {
  readonly model: Model
  /** Dotted names of attributes, from the type that was asked for; none for that type itself. */
  readonly paths: readonly string[]
  /** Its entries are found by the rows that lead to them, in one statement with the links, and not by ids of their own. */
  readonly isJoined: boolean
  readonly statements: ReadonlyMap<Statement, Purpose>
}

type Own = readonly (readonly [Statement, Purpose])[]

export function describeLevels({ root, select, total, edges }: Compiled): readonly DescribedLevel[] {
  const visit = (
    compiled: CompiledLevel,
    paths: readonly string[],
    isJoined: boolean,
    own: Own,
  ): DescribedLevel[] => {
    const { model } = compiled.level
    const links = compiled.links.map(({ statement }): Own[number] => {
      return [statement, { reads: 'links', of: model.uid, paths }]
    })
    const below = compiled.targets.flatMap((target, index) => {
      const { uid, table } = target.level.model
      const at = pathsTo(compiled, index, paths)
      const { found } = target
      // What comes along in the rows above has no statement of its own.
      const read: Own =
        found.by === 'rows' ? [] : [[found.select, { reads: 'entries', of: uid, table, paths: at }]]
      return visit(target, at, found.by !== 'ids', read)
    })
    return [{ model, paths, isJoined, statements: new Map([...own, ...links]) }, ...below]
  }
  const { uid: of, table } = root.level.model
  return visit(root, [], false, [
    [select, { reads: 'entries', of, table, paths: [] }],
    [total, { reads: 'total', of, table, paths: [] }],
    ...(edges === null ? [] : [[edges.others, { reads: 'entries', of, table, paths: [] }] as const]),
  ])
}

function pathsTo({ branches }: CompiledLevel, index: number, paths: readonly string[]): readonly string[] {
  const names = branches
    .filter(({ targets }) => [...targets.values()].includes(index))
    .map(({ branch }) => branch.field.name)
  const prefixes = paths.length === 0 ? [''] : paths.map((path) => `${path}.`)
  return prefixes.flatMap((prefix) => names.map((name) => prefix + name))
}
