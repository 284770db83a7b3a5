import type { Listed, ThereAreOnly, ThisTakes } from './content-registry'

export type Fitting<V, Expected> = V extends Expected ? V : ThisTakes<Expected>

type Atom = string | number | boolean | Date | null | undefined | readonly unknown[]

type FittingAtom<V, Values> = [Values] extends [never] ? ThisTakes<'conditions'> : Fitting<V, Values>

/** Of conditions none may fall away without a word: it would show what it was to keep back. */
type ExactList<V, Each> = V extends readonly []
  ? ThisTakes<'conditions'>
  : { readonly [I in keyof V]: Exact<V[I], Each> }

/** All that may be asked is taken for what it is: compilers tell no other from it by its parts. */
type IsWhole<V, Asked> = string extends keyof V ? false : [Asked, V] extends [V, Asked] ? true : false

type ExactTable<V, Asked> = keyof V extends never
  ? ThisTakes<'conditions'>
  : IsWhole<V, Asked> extends true
    ? V
    : {
        readonly [K in keyof V]-?: K extends keyof Asked
          ? Exact<V[K], Exclude<Asked[K], undefined>>
          : ThereAreOnly<Listed<Asked>>
      }

/** Conditions themselves where all their names and values may be asked; else, at each that may not, what may. */
export type Exact<V, Asked> = V extends Atom
  ? [V, Asked] extends [readonly unknown[], readonly (infer Each extends object)[]]
    ? ExactList<V, Each>
    : FittingAtom<V, Extract<Asked, Atom>>
  : ExactTable<V, Exclude<Asked, Atom>>
