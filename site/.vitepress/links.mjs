import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const isOutside = (href) => /^([a-z]+:|\/\/|#)/i.test(href)

/**
 * The target of a link in the site: one of its pages, or the repository for other files. Pages of the package link to pages
 * that it lacks by their address in the repository.
 */
export function makeLinkOf({ root, repository, isPage }) {
  const inRepository = `${repository}/blob/main/`
  return (page, href) => {
    const [path, hash = ''] = href.split(/(?=#)/)
    const packedElsewhere = path.startsWith(inRepository) ? path.slice(inRepository.length) : ''
    if (isPage(packedElsewhere)) return `${relative(dirname(page), packedElsewhere)}${hash}`
    if (isOutside(href)) return href
    const target = resolve(dirname(join(root, page)), decodeURI(path))
    const name = relative(root, target)
    if (!existsSync(target)) throw new Error(`${page} leads to ${href}, which is not there`)
    if (isPage(name)) return href
    const kind = statSync(target).isDirectory() ? 'tree' : 'blob'
    return `${repository}/${kind}/main/${name}${hash}`
  }
}

/** As GitHub names the places of a page, so that a link leads to the same one there. */
export const placeOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

const decoded = (text) => decodeURIComponent(text.replaceAll('&amp;', '&'))

/** Links of built pages to places that no page has. The build itself looks at pages alone. */
export function deadPlaces(built) {
  const files = readdirSync(built, { recursive: true }).filter((file) => file.endsWith('.html'))
  const pages = new Map(files.map((file) => [`/${file}`, readFileSync(join(built, file), 'utf8')]))
  const has = (page, place) => pages.get(page)?.includes(` id="${place}"`) === true
  return [...pages].flatMap(([at, html]) =>
    [...html.matchAll(/ href="([^"#:]*)#([^"]+)"/g)].flatMap(([, path, place]) => {
      const page = new URL(path, `https://site${at}`).pathname.replace(/\/$/, '/index.html')
      return has(page, decoded(place)) ? [] : [`${at} leads to ${path}#${place}`]
    }),
  )
}
