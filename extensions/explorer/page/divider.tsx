import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { readStored, writeStored } from './stored'

/** Percent of all panes. */
const [least, most, step] = [15, 60, 2]

/** The line beside a pane. The pointer, arrow keys, Home and End set `--build` or `--response` for the style. */
export function Divider({ name }: { name: 'Build' | 'Response' }): ComponentChildren {
  const line = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(least)
  const isLeft = name === 'Build'
  const place = `explorer ${location.pathname} ${name}`
  const show = (next: number): void => {
    line.current?.parentElement?.style.setProperty(`--${name.toLowerCase()}`, `${String(next)}%`)
    setWidth(next)
  }
  const resize = (wanted: number): void => {
    const next = Math.round(Math.min(most, Math.max(least, wanted)))
    show(next)
    writeStored('sessionStorage', place, next)
  }
  const widthAt = (x: number): number => {
    const { left = 0, width: all = 1 } = line.current?.parentElement?.getBoundingClientRect() ?? {}
    const percent = ((x - left) / all) * 100
    return isLeft ? percent : 100 - percent
  }
  useLayoutEffect(() => {
    const stored = readStored('sessionStorage', place)
    if (typeof stored === 'number') show(stored)
    else setWidth(Math.round(widthAt(line.current?.getBoundingClientRect().x ?? 0)))
  }, [])
  return (
    <div
      class={`divider ${name.toLowerCase()}`}
      ref={line}
      role="separator"
      tabIndex={0}
      aria-label={`Width of ${name}`}
      aria-orientation="vertical"
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={width}
      onKeyDown={(event) => {
        const wider = isLeft ? step : -step
        const next = { ArrowRight: width + wider, ArrowLeft: width - wider, Home: least, End: most }[
          event.key
        ]
        if (next === undefined) return
        event.preventDefault()
        resize(next)
      }}
      onPointerDown={({ currentTarget, pointerId }) => {
        currentTarget.setPointerCapture(pointerId)
      }}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (currentTarget.hasPointerCapture(pointerId)) resize(widthAt(clientX))
      }}
    />
  )
}
