import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** `name` begins with "Copy", as the button does. */
export function CopyButton({ text, name }: { text: string; name?: string }): ComponentChildren {
  const [said, setSaid] = useState('')
  useEffect(() => {
    setSaid('')
  }, [text])
  // Without HTTPS there is no clipboard, and the call throws.
  const copy = async (): Promise<void> => navigator.clipboard.writeText(text)
  return (
    <>
      <button
        type="button"
        aria-label={name}
        onClick={() => {
          copy().then(
            () => {
              setSaid('Copied')
            },
            () => {
              setSaid('The browser blocked the copy. Select the text, and copy the text yourself.')
            },
          )
        }}
      >
        Copy
      </button>{' '}
      <span role="status">{said}</span>
    </>
  )
}

export function DownloadButton({ text, name }: { text: string; name: string }): ComponentChildren {
  return (
    <button
      type="button"
      title={name}
      onClick={() => {
        const link = document.createElement('a')
        link.href = URL.createObjectURL(new Blob([text]))
        link.download = name
        link.click()
        // Some browsers begin to read only after the click.
        setTimeout(() => {
          URL.revokeObjectURL(link.href)
        }, 10_000)
      }}
    >
      Download
    </button>
  )
}
