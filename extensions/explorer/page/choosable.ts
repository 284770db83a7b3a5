import { throughLinks } from './places'
import { targetsOf, type ToldScalar, type ToldType, type TypesByUid } from './told'

/** An attribute that a condition can use. */
export interface Choosable {
  /** Dotted names. */
  readonly path: string
  readonly scalar: ToldScalar
  /** The type whose document ids the value is from. */
  readonly document: ToldType | null
}

/** Attributes of the type itself, and of relations one step away. */
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
