import type { Fact, History } from './history'
import { tagCount } from './types'

interface Named {
  readonly name: string
}

interface Post {
  readonly title: string
  readonly seo: { readonly title: string }
  readonly writer?: Named & { readonly place: Named }
  readonly series: Named
  readonly note: Named
  readonly tags: readonly Named[]
}

/** From when until when an answer may be from. */
export interface Span {
  readonly least: Readonly<Record<Fact, number>>
  readonly most: Readonly<Record<Fact, number>>
}

export function spanOf(history: History, facts: readonly Fact[], from: number): Span {
  const versions = (of: (fact: Fact) => number): Span['least'] =>
    Object.fromEntries(facts.map((fact) => [fact, of(fact)])) as Span['least']
  return { least: versions((fact) => history.least(fact, from)), most: versions(history.most) }
}

/** Whether any version of the span fits. */
function some({ least, most }: Span, fact: Fact, fits: (version: number) => boolean): boolean {
  for (let version = least[fact]; version <= most[fact]; version += 1) if (fits(version)) return true
  return false
}

/** What an answer shows that the database could not have given within the span. */
export function faultsOf(post: Post, span: Span, grantsChange: boolean): readonly string[] {
  const shown = (fact: Fact, value: string): string[] =>
    some(span, fact, (version) => String(version) === value)
      ? []
      : [`${fact}: ${value} is not of ${String(span.least[fact])} to ${String(span.most[fact])}`]
  const tag = post.tags[0]?.name ?? 'none'
  const isLinked = some(span, 'link', (version) => String(version % tagCount) === tag)
  const mayShow = !grantsChange || some(span, 'permission', (version) => version % 2 === 1)
  const mayHide = grantsChange && some(span, 'permission', (version) => version % 2 === 0)
  const { writer } = post
  return [
    ...shown('row', post.title),
    ...shown('component', post.seo.title),
    ...shown('long', post.series.name),
    ...(isLinked ? [] : [`link: to ${tag}`]),
    ...(post.note.name === 'kept' ? [] : ['what was rolled back is shown']),
    ...(writer === undefined
      ? [mayHide ? [] : ['permission: the writer is hidden']].flat()
      : [
          ...(mayShow ? [] : ['permission: the writer is shown']),
          ...shown('pair', writer.name),
          ...(writer.name === writer.place.name ? [] : ['pair: two states in one answer']),
        ]),
  ]
}

export type { Post }
