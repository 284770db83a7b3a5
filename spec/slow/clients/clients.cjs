// Clients of Strapi as front ends use them: what each is asked, in its own words. All of them answer titles, in order.
const { join } = require('node:path')
const { strapi } = require('@strapi/client')

const titles = (entries) => entries.map(({ title }) => title)
const authors = (entries) => entries.map(({ author }) => author?.name ?? null)

/** Clients that answer an error in place of raising it. */
function unlessError(answer) {
  if (answer.error) throw Object.assign(new Error(answer.error.message), { status: answer.error.status })
  return answer
}

const own = (at) => {
  const articles = strapi({ baseURL: `${at}/api` }).collection('articles')
  const find = async (query) => (await articles.find(query)).data
  return {
    list: async () => titles(await find({ pagination: { pageSize: 10 } })),
    one: async ({ documentId }) => (await articles.findOne(documentId)).data.title,
    filter: async () => titles(await find({ filters: { title: { $contains: 'The' } } })),
    sort: async () => titles(await find({ sort: 'title:desc', pagination: { pageSize: 10 } })),
    populate: async () => authors(await find({ populate: { author: true }, pagination: { pageSize: 10 } })),
    pages: async () => {
      const { data, meta } = await articles.find({ pagination: { page: 2, pageSize: 3 } })
      return { titles: titles(data), total: meta.pagination.total }
    },
    locale: async () => titles(await find({ locale: 'fr' })),
    error: async () => find({ filters: { nope: 1 } }),
  }
}

const refine = (at, headers = {}) => {
  const axios = require('axios').create({ headers })
  const { DataProvider } = require('@refinedev/strapi-v4')
  const { getList, getOne } = DataProvider(`${at}/api`, axios)
  const resource = 'articles'
  const ten = { currentPage: 1, pageSize: 10 }
  return {
    list: async () => titles((await getList({ resource, pagination: ten })).data),
    one: async ({ documentId }) => (await getOne({ resource, id: documentId })).data.title,
    'one by number': async ({ id }) => (await getOne({ resource, id })).data.title,
    filter: async () =>
      titles(
        (await getList({ resource, filters: [{ field: 'title', operator: 'containss', value: 'The' }] }))
          .data,
      ),
    sort: async () =>
      titles(
        (await getList({ resource, pagination: ten, sorters: [{ field: 'title', order: 'desc' }] })).data,
      ),
    populate: async () =>
      authors((await getList({ resource, pagination: ten, meta: { populate: ['author'] } })).data),
    pages: async () => {
      const { data, total } = await getList({ resource, pagination: { currentPage: 2, pageSize: 3 } })
      return { titles: titles(data), total }
    },
    locale: async () =>
      titles((await getList({ resource, pagination: { pageSize: 25 }, meta: { locale: 'fr' } })).data),
    error: async () => getList({ resource, filters: [{ field: 'nope', operator: 'eq', value: 1 }] }),
    nstartswith: async () =>
      getList({ resource, filters: [{ field: 'title', operator: 'nstartswith', value: 'The' }] }),
  }
}

/** react-admin, whose `fetchJson` both providers take. */
const reactAdmin = ({ getList, getOne }, filter, form) => {
  const sort = { field: 'id', order: 'ASC' }
  const list = (asked) =>
    getList('articles', { pagination: { page: 1, perPage: 10 }, sort, filter: {}, ...asked })
  return {
    list: async () => titles((await list({})).data),
    one: async ({ documentId }) => (await getOne('articles', { id: documentId })).data.title,
    'one by number': async ({ id }) => (await getOne('articles', { id })).data.title,
    [form === 'as numbers' ? 'filter, equal' : 'filter']: async () =>
      titles((await list({ filter, pagination: { page: 1, perPage: 25 } })).data),
    sort: async () => titles((await list({ sort: { field: 'title', order: 'DESC' } })).data),
    // Both make an id of what a relation leads to, for react-admin to ask for.
    [`populate, ${form}`]: async () => (await list({})).data.map(({ author }) => author ?? null),
    pages: async () => {
      const { data, total } = await list({ pagination: { page: 2, perPage: 3 } })
      return { titles: titles(data), total }
    },
    locale: async () =>
      titles((await list({ filter: { locale: 'fr' }, pagination: { page: 1, perPage: 25 } })).data),
    error: async () => list({ filter: { nope: 1 } }),
  }
}

const raStrapi = (at) => {
  const { strapiDataProvider } = require('ra-strapi/src/strapiDataProvider.ts')
  const provider = strapiDataProvider({ baseURL: at })
  const filtered = (filter) => () => provider.getList('articles', { filter })
  return {
    ...reactAdmin(provider, { title_contains: 'The' }, 'as document ids'),
    _containsi: filtered({ title_containsi: 'the' }),
    _ncontains: filtered({ title_ncontains: 'the' }),
    q: filtered({ q: 'the' }),
  }
}

const raStrapiRest = (at) => {
  const { fetchUtils } = require('react-admin')
  const asV4 = (url, options = {}) =>
    fetchUtils.fetchJson(url, { ...options, headers: new Headers({ 'Strapi-Response-Format': 'v4' }) })
  const provider = require('ra-strapi-rest').default(`${at}/api`, asV4)
  return reactAdmin(provider, { title: 'What fog is for' }, 'as numbers')
}

const sdk = (at) => {
  const Strapi = require('strapi-sdk-js')
  const client = new Strapi({ url: at })
  const find = async (query) => (await client.find('articles', query)).data
  return {
    list: async () => titles(await find({ pagination: { page: 1, pageSize: 10 } })),
    one: async ({ documentId }) => (await client.findOne('articles', documentId)).data.title,
    filter: async () => titles(await find({ filters: { title: { $contains: 'The' } } })),
    sort: async () => titles(await find({ sort: 'title:desc', pagination: { page: 1, pageSize: 10 } })),
    populate: async () =>
      authors(await find({ populate: ['author'], pagination: { page: 1, pageSize: 10 } })),
    pages: async () => {
      const { data, meta } = await client.find('articles', { pagination: { page: 2, pageSize: 3 } })
      return { titles: titles(data), total: meta.pagination.total }
    },
    locale: async () => titles(await find({ locale: 'fr' })),
    error: async () => find({ filters: { nope: 1 } }).catch(({ error }) => unlessError({ error })),
  }
}

const kmariappan = (at) => {
  const { createClient } = require('@kmariappan/strapi-client-js')
  const client = createClient({ url: `${at}/api` })
  const all = () => client.from('articles').select()
  const got = async (query) => unlessError(await query.get())
  return {
    list: async () => titles((await got(all().paginate(1, 10))).data),
    'one by number': async ({ id }) =>
      (await got(client.from('articles').selectManyByID([id]))).data[0].title,
    one: async ({ documentId }) => (await got(all().equalTo('documentId', documentId))).data[0].title,
    filter: async () => titles((await got(all().containsCaseSensitive('title', 'The'))).data),
    sort: async () =>
      titles(
        (
          await got(
            all()
              .sortBy([{ field: 'title', order: 'desc' }])
              .paginate(1, 10),
          )
        ).data,
      ),
    populate: async () => authors((await got(all().populateWith('author', ['name']).paginate(1, 10))).data),
    pages: async () => {
      const { data, meta } = await got(all().paginate(2, 3))
      return { titles: titles(data), total: meta.pagination.total }
    },
    locale: async () => titles((await got(all().setLocale('fr'))).data),
    error: async () => got(all().equalTo('nope', 1)),
  }
}

/** The whole plugin, as Gatsby starts it, with what it makes nodes by; by type, how many nodes came of it. */
async function sourceAll(at) {
  const { sourceNodes } = require('gatsby-source-strapi/dist/gatsby-node')
  const nodes = new Map()
  const fail = (message, error) => {
    throw error ?? new Error(message)
  }
  await sourceNodes(
    {
      actions: {
        createNode: (node) => nodes.set(node.id, node),
        deleteNode: fail,
        touchNode: fail,
      },
      createContentDigest: JSON.stringify,
      createNodeId: (name) => name,
      reporter: { info: () => undefined, panic: fail },
      cache: new Map(),
      getCache: () => new Map(),
      getNode: (id) => nodes.get(id),
      getNodes: () => [...nodes.values()],
    },
    {
      apiURL: at,
      version: 5,
      skipFileDownloads: true,
      collectionTypes: ['article', 'author'],
      singleTypes: ['imprint'],
    },
  )
  const counts = {}
  for (const { internal } of nodes.values()) counts[internal.type] = (counts[internal.type] ?? 0) + 1
  return counts
}

/** What the plugin itself reads with, once it knows the types. */
const gatsby = (at) => {
  const { fetchEntities, fetchEntity, fetchStrapiContentTypes } = require('gatsby-source-strapi/dist/fetch')
  const { createAxiosInstance } = require('gatsby-source-strapi/dist/axios-instance')
  const axiosInstance = createAxiosInstance({ apiURL: at })
  const uid = 'api::article.article'
  const panic = (_message, error) => {
    throw error
  }
  const context = {
    axiosInstance,
    reporter: { info: () => undefined, panic },
    schemas: [{ uid, schema: { attributes: {} } }],
  }
  const asked = (queryParams, more = {}) => ({ endpoint: '/api/articles', queryParams, uid, ...more })
  const list = (queryParams, more) => fetchEntities(asked(queryParams, more), context)
  return {
    'its start': async () => (await fetchStrapiContentTypes(axiosInstance)).schemas.map(({ uid }) => uid),
    'the whole': () => sourceAll(at),
    list: async () => titles((await list({ pagination: { pageSize: 3 } })).slice(0, 10)),
    one: async ({ documentId }) =>
      (await fetchEntity({ ...asked({}), endpoint: `/api/articles/${documentId}` }, context))[0].title,
    filter: async () => titles(await list({ filters: { title: { $contains: 'The' } } })),
    sort: async () => titles((await list({ sort: 'title:desc' })).slice(0, 10)),
    populate: async () => authors((await list({ populate: { author: true } })).slice(0, 10)),
    pages: async () => {
      const all = await list({ pagination: { pageSize: 3 } })
      return { titles: titles(all.slice(3, 6)), total: all.length }
    },
    locale: async () => titles(await list({}, { pluginOptions: { i18n: { locale: 'fr' } } })),
    error: async () => list({ filters: { nope: 1 } }),
  }
}

const astro = (at) => {
  const fetchApi = require(join(__dirname, 'node_modules/astro-loader-strapi/strapi.ts')).default
  const articles = async (query, endpoint = 'articles') =>
    fetchApi({ strapiUrl: at, strapiApiToken: '', endpoint, query, wrappedByKey: 'data' })
  return {
    list: async () => titles(await articles({ pagination: { pageSize: 10 } })),
    one: async ({ documentId }) => (await articles(undefined, `articles/${documentId}`)).title,
    filter: async () => titles(await articles({ filters: { title: { $contains: 'The' } } })),
    sort: async () => titles(await articles({ sort: 'title:desc', pagination: { pageSize: 10 } })),
    populate: async () =>
      authors(await articles({ populate: { author: true }, pagination: { pageSize: 10 } })),
    pages: async () => {
      const { data, meta } = await fetchApi({
        strapiUrl: at,
        strapiApiToken: '',
        endpoint: 'articles',
        query: { pagination: { page: 2, pageSize: 3 } },
      })
      return { titles: titles(data), total: meta.pagination.total }
    },
    locale: async () => titles(await articles({ locale: 'fr' })),
    error: async () => articles({ filters: { nope: 1 } }),
  }
}

/** The composables of the module, which Nuxt would compile into the app: they are loaded as they are, with its `#imports`. */
const nuxt = (at) => {
  const { register } = require('node:module')
  const { pathToFileURL } = require('node:url')
  const imports = JSON.stringify(pathToFileURL(join(__dirname, 'nuxt-imports.mjs')).href)
  const hook = `export const resolve = (name, context, next) =>
    name === '#imports' ? { url: ${imports}, shortCircuit: true } : next(name, context)`
  register(`data:text/javascript,${encodeURIComponent(hook)}`)
  globalThis.nuxtStrapiUrl = at
  const runtime = join(__dirname, 'node_modules/@nuxtjs/strapi/dist/runtime')
  const find = async (method, ...asked) => {
    globalThis.$fetch = (await import(require.resolve('ofetch'))).$fetch
    const { useStrapi } = await import(pathToFileURL(join(runtime, 'composables-v5/useStrapi.js')).href)
    return useStrapi()[method](...asked)
  }
  const list = async (params) => (await find('find', 'articles', params)).data
  return {
    list: async () => titles(await list({ pagination: { pageSize: 10 } })),
    one: async ({ documentId }) => (await find('findOne', 'articles', documentId)).data.title,
    filter: async () => titles(await list({ filters: { title: { $contains: 'The' } } })),
    sort: async () => titles(await list({ sort: ['title:desc'], pagination: { pageSize: 10 } })),
    populate: async () => authors(await list({ populate: { author: true }, pagination: { pageSize: 10 } })),
    pages: async () => {
      const { data, meta } = await find('find', 'articles', { pagination: { page: 2, pageSize: 3 } })
      return { titles: titles(data), total: meta.pagination.total }
    },
    locale: async () => titles(await list({ locale: 'fr' })),
    error: async () => list({ filters: { nope: 1 } }),
  }
}

module.exports = {
  '@strapi/client': own,
  'strapi-sdk-js': sdk,
  '@refinedev/strapi-v4': refine,
  '@refinedev/strapi-v4, v4 header': (at) => refine(at, { 'Strapi-Response-Format': 'v4' }),
  'ra-strapi': raStrapi,
  'ra-strapi-rest, v4 header': raStrapiRest,
  '@kmariappan/strapi-client-js': kmariappan,
  'gatsby-source-strapi': gatsby,
  'astro-loader-strapi': astro,
  '@nuxtjs/strapi': nuxt,
}
