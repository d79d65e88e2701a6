import { Slot } from 'radix-ui';
import { type ReactNode, type Ref, useEffect } from 'react';

let open = 0;

interface RemoveScrollProps {
  readonly as?: unknown;
  readonly children?: ReactNode;
  readonly enabled?: boolean;
  readonly allowPinchZoom?: boolean;
  readonly shards?: unknown;
  readonly removeScrollBar?: boolean;
  readonly ref?: Ref<HTMLElement>;
}

/** Keeps the page behind a dialog from scrolling, by an attribute: takes the place of `react-remove-scroll`. */
export function RemoveScroll({
  children,
  enabled = true,
  as: _as,
  allowPinchZoom: _allowPinchZoom,
  shards: _shards,
  removeScrollBar: _removeScrollBar,
  ...rest
}: RemoveScrollProps): ReactNode {
  useEffect(() => {
    if (!enabled) return;
    open += 1;
    document.documentElement.dataset.scrollLocked = '';
    return () => {
      open -= 1;
      if (open === 0) delete document.documentElement.dataset.scrollLocked;
    };
  }, [enabled]);
  return <Slot.Root {...rest}>{children}</Slot.Root>;
}

RemoveScroll.classNames = { fullWidth: '', zeroRight: '' };
