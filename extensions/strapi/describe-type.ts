import type { AttributeOutline, Model } from '../../lib/schema'

type Described = Readonly<Record<string, unknown>>

/** Null where it leads to nothing that may be told of. */
function describeAttribute(outline: AttributeOutline, isVisible: (uid: string) => boolean): Described | null {
  if ('values' in outline) return { type: outline.type }
  if (!('targets' in outline)) return outline
  const { targets, ...facts } = outline
  const told = targets.filter(isVisible)
  const [target] = told
  switch (outline.type) {
    case 'dynamiczone':
      return { ...facts, components: told }
    case 'component':
      return { ...facts, component: target }
    case 'relation':
      if (targets.length !== 1) return facts
      return target === undefined ? null : { ...facts, target }
  }
}

/** As Strapi tells clients of a type, without what says nothing of answers: tables, rules for writing, words for editors. */
export function describeType(model: Model, isVisible: (uid: string) => boolean): Described {
  const { uid, kind, singularName, pluralName, draftAndPublish, localized } = model
  const attributes = Object.fromEntries(
    [...model.outlines].flatMap(([name, outline]): [string, Described][] => {
      const facts = describeAttribute(outline, isVisible)
      return facts === null ? [] : [[name, facts]]
    }),
  )
  if (kind === 'component') {
    const [category] = uid.split('.')
    return { uid, category, apiId: singularName, schema: { attributes } }
  }
  const [, plugin] = /^plugin::([^.]+)/.exec(uid) ?? []
  const pluginOptions = localized ? { i18n: { localized } } : {}
  const names = { kind, singularName, pluralName }
  const schema = { draftAndPublish, ...names, pluginOptions, attributes }
  return { uid, ...(plugin === undefined ? {} : { plugin }), apiID: singularName, schema }
}
