// Neutral greys and one accent: the data is the colour.
import { Button, Menu, Portal, createTheme, rem } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cambium',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: "'Inter Variable', 'Source Sans 3', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(15), lg: rem(15), xl: rem(18) },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: Button.extend({ styles: { label: { fontWeight: 550 } } }),
    // What lies over the page is in a landmark too.
    Portal: Portal.extend({ defaultProps: { target: '#over' } }),
    // A menu's children are its items: the first one has the focus, and not an element in front of it.
    Menu: Menu.extend({ defaultProps: { withInitialFocusPlaceholder: false } }),
  },
  colors: {
    cambium: ['#e8f6ef', '#d2ebdf', '#a5d8c0', '#7bcba6', '#4fb78b', '#2f9f74', '#1f8a62', '#157753', '#0d6646', '#07513a'],
    gray: ['#f8f8f8', '#f1f1f1', '#e6e6e6', '#dadada', '#c8c8c8', '#a3a3a3', '#757575', '#555555', '#3a3a3a', '#222222'],
    dark: ['#dcdcdc', '#bdbdbd', '#a8a8a8', '#707070', '#454545', '#343434', '#282828', '#1e1e1e', '#171717', '#101010'],
  },
});
