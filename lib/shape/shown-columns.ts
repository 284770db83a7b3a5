import { type CompiledLevel, type Form, positionOf, shownName } from '../compile'
import type { Column, Model } from '../schema'

/** A value that entries of a level show. */
interface ShownColumn {
  readonly name: string
  readonly position: number
  readonly form: Form
  /** Where the row says whether it shows it; null where all do. */
  readonly shownAt: number | null
}

export type FormOf = (model: Model, column: Column) => Form

export const shownColumns = ({ level, positions }: CompiledLevel, formOf: FormOf): readonly ShownColumn[] =>
  level.columns.map((column) => ({
    name: column.name,
    position: positionOf(positions, column.column),
    form: formOf(level.model, column),
    shownAt: column.shownIn === undefined ? null : positionOf(positions, shownName(column.shownIn)),
  }))
