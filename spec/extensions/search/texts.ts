import type { ContentRouterConfig } from '../../../lib'
import { collection, relation, text } from '../../support/library'

const long = { type: 'text' } as const

/** Articles with a title and a body, in two locales and with drafts. */
export const textTypes = [
  {
    ...collection('article', {
      title: { ...text, pluginOptions: { i18n: { localized: true } } },
      body: { ...long, pluginOptions: { i18n: { localized: true } } },
      note: text,
      views: { type: 'integer' },
      hidden: { ...text, private: true },
      author: relation('manyToOne', 'author', { inversedBy: 'articles' }),
    }),
    options: { draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
  },
  collection('author', { name: text, articles: relation('oneToMany', 'article', { mappedBy: 'author' }) }),
] as unknown as ContentRouterConfig['contentTypes']

export const textContent = {
  $locales: ['en', 'de'],
  author: [
    { $ref: 'ada', name: 'Ada' },
    { $ref: 'bo', name: 'Bo' },
  ],
  article: [
    { title: 'Rust and oxygen', body: 'Iron corrodes in the rain.', views: 1, author: 'ada' },
    { title: 'Systems language', body: 'Programs in Rust run fast.', views: 2, author: 'bo' },
    { title: 'Rusty nails', body: 'They lie beside an old barn.', views: 3, author: 'ada' },
    { title: 'Rust never sleeps', body: 'A song about rust.', views: 4 },
    { title: 'Crème brûlée', body: 'A dessert with a crust of sugar.', views: 5 },
    {
      ...{ title: 'Bridges', body: 'Steel, stone; and wood-work.', views: 6 },
      $locales: { de: { title: 'Brücken', body: 'Stahl gegen Rost und Regen.' } },
    },
    { title: 'Кириллица и буквы', body: 'Русский текст про дожди.', views: 7 },
    { title: 'Unfinished rust', body: 'Nobody may read this yet.', views: 8, $status: 'draft' },
  ],
} as const
