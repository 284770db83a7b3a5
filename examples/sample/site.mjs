const open = ['article', 'author', 'category', 'city', 'homepage', 'imprint', 'issue', 'tag', 'walk']

/** Who may read what of the magazine. */
export const site = {
  permissions: {
    public: { find: open },
    reader: { find: [...open, 'letter'] },
    editor: { find: '*', drafts: '*' },
  },
}

/** Queries by name. */
export const queries = {
  card: {
    type: 'article',
    query: { fields: ['title', 'slug'], populate: { author: { fields: ['name'] } }, sort: 'title' },
    parameters: { tag: 'filters.tags.slug.$eq' },
  },
}
