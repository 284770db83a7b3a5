import { wrongHostResult } from '../../lib/access'
import { isFunction } from '../../lib/config'
import type { Extension } from '../../lib/http'
import { replaceFileUrls, type ShownFile, showsFiles } from './replace-file-urls'

export type { ShownFile } from './replace-file-urls'

/** Returns the URL to show in place of the stored one. */
export type FileUrlFunction = (file: ShownFile) => string | Promise<string>

const name = 'fileUrls'

const noFunction = { where: name, problem: 'must be a function', remedy: 'write fileUrls((file) => url)' }

function checkUrl(url: unknown): string {
  if (typeof url === 'string') return url
  throw wrongHostResult(name, url, 'return a string, or a promise of one')
}

/** Shows files with other URLs, such as signed ones. Responses that may show files are never cached. */
export const fileUrls = (fileUrl: FileUrlFunction): Extension => ({
  name,
  check: () => (isFunction(fileUrl) ? [] : [noFunction]),
  afterRead: (plan) =>
    showsFiles(plan)
      ? (loaded) => replaceFileUrls(loaded, async (file) => checkUrl(await fileUrl(file)))
      : null,
})
