import type { Action, ReadAction } from '../config'
import { once } from '../memory'
import { type Column, fileUid, type Model, type Schema, type Uid, type LinkField } from '../schema'
import type { GrantRule, Grants } from './grants'

/** Files take no rule. So their inverse links show an attribute only if the other side always shows it. */
function withShownLinks(file: Model, shown: ReadonlyMap<string, Model>): Model {
  const links = [...file.links].map(([name, field]): [string, LinkField] => {
    const { link } = field
    if (link.via !== 'mixed' || link.writtenBy === undefined) return [name, field]
    const written = link.writtenBy.map(({ type, fields }) => {
      const own = shown.get(type)?.links
      const isShown = (one: string): boolean => own?.has(one) === true && own.get(one)?.shownIn === undefined
      return { type, fields: fields.filter(isShown) }
    })
    const writtenBy = written.filter(({ fields }) => fields.length > 0)
    return [name, { ...field, link: { ...link, writtenBy } }]
  })
  return { ...file, links: new Map(links) }
}

/** Entries that a rule of each list grants. */
interface ShownIn {
  readonly model: Model
  readonly sides: readonly (readonly GrantRule[])[]
}

/** The types as the role knows them: attributes without a grant are private. */
export interface RoleSchema {
  readonly schema: Schema
  /** The requested type, whose action may differ from that of linked entries. */
  readonly asked: Model
  readonly shownIn: (word: string) => ShownIn
}

/** Shown whatever a rule says, because links refer to them. */
const always: readonly string[] = ['id', 'documentId']

type Side = readonly GrantRule[] | null

/** Null: hidden. The lists hold the rules that show it for some entries. */
function shownBy(sides: readonly Side[], name: string): readonly (readonly GrantRule[])[] | null {
  const partly: (readonly GrantRule[])[] = []
  for (const side of sides) {
    if (side === null) continue
    const own = side.filter(({ fields }) => fields === null || fields.has(name))
    if (own.length === 0) return null
    const isShown = own.length === side.length || own.some(({ where }) => where === 'all')
    if (!isShown) partly.push(own)
  }
  return partly
}

function roleModel(model: Model, sides: readonly Side[], words: Map<string, ShownIn>): Model {
  if (sides.every((side) => side === null || side.every(({ fields }) => fields === null))) return model
  const shown = <T extends object>(all: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map(
      [...all].flatMap(([name, one]): [string, T][] => {
        if (always.includes(name)) return [[name, one]]
        const partly = shownBy(sides, name)
        if (partly === null) return []
        if (partly.length === 0) return [[name, one]]
        const word = JSON.stringify([model.uid, ...partly.map((rules) => rules.map(({ key }) => key))])
        words.set(word, { model, sides: partly })
        return [[name, { ...one, shownIn: word }]]
      }),
    )
  const isShown = (name: string): boolean => shownBy(sides, name) !== null
  const [columns, links] = [shown(model.columns), shown(model.links)]
  const outlines = new Map([...model.outlines].filter(([name]) => isShown(name)))
  const emptyRelations = model.emptyRelations.filter(isShown)
  const hidesLocale = model.hidesLocale || !isShown('locale')
  return { ...model, columns, links, outlines, emptyRelations, hidesLocale }
}

export interface ModelVersion {
  readonly model: Model
  readonly isDraft: boolean
}

export function roleSchema(
  schema: Schema,
  grants: Grants,
  { model: asked, action, isDraft }: ModelVersion & { readonly action: ReadAction },
): RoleSchema {
  const words = new Map<string, ShownIn>()
  const known = new Map<string, Model>()
  const sidesOf = (model: Model, of: Action): readonly Side[] => [
    grants.rules(model, of),
    isDraft && model.draftAndPublish ? grants.rules(model, 'drafts') : null,
  ]
  const shown = (model: Model, of: Action): Model =>
    once(known, `${of} ${model.uid}`, () => roleModel(model, sidesOf(model, of), words))
  const shownIn = (word: string): ShownIn => {
    const found = words.get(word)
    if (found === undefined) throw new Error(`no type shows this name: ${word}`)
    return found
  }
  if (!grants.hidesFields) return { schema, asked, shownIn }
  const models = new Map<Uid, Model>([...schema.models].map(([uid, model]) => [uid, shown(model, 'find')]))
  const file = schema.models.get(fileUid as Uid)
  if (file !== undefined) models.set(file.uid, withShownLinks(file, models))
  const own = asked === file ? models.get(file.uid) : undefined
  return { schema: { ...schema, models }, asked: own ?? shown(asked, action), shownIn }
}

export function showsColumn(grants: Grants, model: Model, { name }: Column): boolean {
  return shownBy([grants.rules(model, 'findOne')], name) !== null
}

export function showsAlways(grants: Grants, model: Model, name: string, actions: readonly Action[]): boolean {
  const sides = actions.map((action) => grants.rules(model, action))
  return always.includes(name) || shownBy(sides, name)?.length === 0
}

export function knownTo(grants: Grants, model: Model, actions: readonly ReadAction[]): Model {
  const sides = actions.map((action) => grants.rules(model, action))
  const rules = sides.includes(null) || sides.length === 0 ? null : sides.flatMap((side) => side ?? [])
  return roleModel(model, [rules], new Map())
}
