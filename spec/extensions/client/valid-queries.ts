/** Of articles of the sample: as they stand in code, and are answered. */
export const validQueries: readonly string[] = [
  `{ fields: ['title', 'fee'], sort: ['author.homeCity.name:desc', 'title', 'tags.$count:desc', 'id'] }`,
  `{ filters: { title: 'x', kind: ['essay', 'walk'], fee: { $gt: 3 }, publishedAt: { $lt: new Date(), $notNull: true }, sources: { $null: true } } }`,
  `{ filters: { $or: [{ title: { $containsi: 'x' } }, { $not: { author: { homeCity: { name: { $in: ['a', 'b'] } } } } }] } }`,
  `{ filters: { tags: { $some: { name: 'x' }, $none: { slug: { $startsWith: 'y' } }, $count: { $gte: 2 } }, author: { $null: true } } }`,
  `{ filters: { sections: { $some: { __component: 'story.prose', on: { 'story.prose': { heading: { $notNull: true } } } }, $count: 0 } } }`,
  `{ populate: { author: { populate: { homeCity: true }, sort: 'name' }, tags: { filters: { name: { $ne: 'x' } }, sort: 'name' } } }`,
  `{ populate: { sections: { on: { 'story.signpost': { populate: { articles: { fields: ['title'] } } } } } } }`,
  `{ locale: ['fr', 'de'], status: 'draft', _q: 'rain', publicationFilter: 'modified' }`,
  `{ locale: 'pt', fallback: ['fr', 'en'] }`,
  `{ filters: { kind: { $in: [] }, fee: '3' }, fields: undefined, populate: undefined }`,
  `{ populate: ['author', 'author.homeCity', 'tags'], pagination: { after: undefined, pageSize: 3 } }`,
  `{ query: 'card', tag: 'rain', pagination: { page: 2 }, locale: 'fr' }`,
]
