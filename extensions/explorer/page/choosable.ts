import { throughLinks } from './places'
import { targetsOf, type ToldScalar, type ToldType, type TypesByUid } from './told'

/** An attribute that a condition may be put to. */
export interface Choosable {
  /** Names with dots between. */
  readonly path: string
  readonly scalar: ToldScalar
  /** The type whose documents the value is one of. */
  readonly document: ToldType | null
}

/** Attributes of the type itself, and of what its links lead to, one step. */
export function choosableOf(types: TypesByUid, type: ToldType): readonly Choosable[] {
  const own = type.scalars.map((scalar) => ({
    path: scalar.name,
    scalar,
    document: scalar.name === 'documentId' ? type : null,
  }))
  const far = throughLinks(type).flatMap((link) =>
    targetsOf(types, link).flatMap((target) =>
      target.scalars.map((scalar) => ({
        path: `${link.name}.${scalar.name}`,
        scalar,
        document: scalar.name === 'documentId' ? target : null,
      })),
    ),
  )
  return [...own, ...far]
}
