import type { ContentRouterConfig } from '../../lib'

type Definitions = Extract<ContentRouterConfig['contentTypes'], readonly object[]>
type Attributes = Readonly<Record<string, object>>

export function collection(
  singularName: string,
  attributes: Attributes,
  options: { readonly drafts?: boolean; readonly localized?: boolean } = {},
): object {
  const pluralName = singularName.replace(/y$/, 'ie') + 's'
  return {
    kind: 'collectionType',
    collectionName: pluralName,
    info: { singularName, pluralName, displayName: singularName },
    options: { draftAndPublish: options.drafts === true },
    pluginOptions: { i18n: { localized: options.localized === true } },
    attributes,
  }
}

export function component(uid: string, attributes: Attributes): object {
  const collectionName = `components_${uid.replaceAll(/[.-]/g, '_')}`
  return { uid, collectionName, info: { displayName: uid }, attributes }
}

export const text = { type: 'string' }
export const integer = { type: 'integer' }
export const picture = { type: 'media' }
export const pictures = { type: 'media', multiple: true }

export const relation = (kind: string, target: string, other: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target,
  ...other,
})

export const single = (uid: string): object => ({ type: 'component', component: uid })
export const repeated = (uid: string): object => ({ type: 'component', component: uid, repeatable: true })

/** Every way in which one entry can lead to another, in as few types as that takes. */
export const library = [
  collection(
    'book',
    {
      title: text,
      year: integer,
      blurb: { type: 'text' },
      ledger: { type: 'string', private: true },
      author: relation('manyToOne', 'author', { inversedBy: 'books' }),
      genres: relation('manyToMany', 'genre', { inversedBy: 'books' }),
      sequel: relation('oneToOne', 'book', { inversedBy: 'prequel' }),
      prequel: relation('oneToOne', 'book', { mappedBy: 'sequel' }),
      reviews: relation('morphMany', 'review', { morphBy: 'subject' }),
      cover: picture,
      plates: pictures,
      seo: single('shared.seo'),
      notes: repeated('shared.note'),
      sections: { type: 'dynamiczone', components: ['page.prose', 'page.pick', 'page.gallery'] },
    },
    { drafts: true },
  ),
  collection('author', {
    name: text,
    age: integer,
    books: relation('oneToMany', 'book', { mappedBy: 'author' }),
    country: relation('manyToOne', 'country', { inversedBy: 'authors' }),
    portrait: picture,
  }),
  collection('country', {
    name: text,
    authors: relation('oneToMany', 'author', { mappedBy: 'country' }),
    rivals: relation('manyToMany', 'country'),
  }),
  collection('genre', {
    name: text,
    books: relation('manyToMany', 'book', { mappedBy: 'genres' }),
    parent: relation('manyToOne', 'genre', { inversedBy: 'children' }),
    children: relation('oneToMany', 'genre', { mappedBy: 'parent' }),
  }),
  collection('review', {
    verdict: text,
    subject: { type: 'relation', relation: 'morphToOne' },
    mentions: { type: 'relation', relation: 'morphToMany' },
  }),
  collection('memo', { title: text }, { drafts: true, localized: true }),
  component('shared.seo', { title: text, social: single('shared.social'), image: picture }),
  component('shared.social', { headline: text, image: picture }),
  component('shared.note', { text, by: relation('oneToOne', 'author'), source: single('shared.source') }),
  component('shared.source', { place: text }),
  component('page.prose', { heading: text }),
  component('page.pick', {
    title: text,
    books: relation('oneToMany', 'book'),
    source: single('shared.source'),
  }),
  component('page.gallery', { caption: text, plates: pictures }),
] as unknown as Definitions
