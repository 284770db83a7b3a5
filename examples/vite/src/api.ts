import { type ContentEntry, contentClient, ContentError } from 'express-content-router/client'
import type { Content } from './content'

const api = contentClient<Content>({ url: '/api' })

// Each query is written once; what its answers hold follows from it.
const card = { fields: ['title', 'slug', 'kind'], populate: { author: { fields: ['name'] } } } as const
const whole = {
  fields: ['title', 'standfirst'],
  populate: {
    author: { fields: ['name'], populate: { homeCity: { fields: ['name'] } } },
    sections: { on: { 'story.prose': true, 'shared.quote': true } },
  },
} as const

export type Card = ContentEntry<Content, 'articles', typeof card>
export type Article = ContentEntry<Content, 'articles', typeof whole>
export type Kind = NonNullable<Card['kind']>

export async function cardsOf(kinds: readonly Kind[]): Promise<readonly Card[]> {
  const { data } = await api.find('articles', { ...card, filters: { kind: { $in: kinds } }, sort: 'title' })
  return data
}

/** Null where no article has this slug. */
export async function articleAt(slug: string): Promise<Article | null> {
  try {
    return (await api.by('articles', 'slug', slug, whole)).data
  } catch (error) {
    if (error instanceof ContentError && error.status === 404) return null
    throw error
  }
}
