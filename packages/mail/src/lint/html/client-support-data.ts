/** Written by scripts/caniemail-data.mjs from caniemail.com, Copyright (c) 2019 HTeuMeuLeu, MIT license: see NOTICE. */

/** When the data was published. */
export const supportDate = "2026-05-13";

/** Mail clients: id and name. */
export const supportClients: readonly (readonly [id: string, name: string])[] = [
  ["aol/android", "AOL (Android)"],
  ["aol/desktop-webmail", "AOL (Desktop Webmail)"],
  ["aol/ios", "AOL (iOS)"],
  ["apple-mail/ios", "Apple Mail (iOS)"],
  ["apple-mail/macos", "Apple Mail (macOS)"],
  ["fastmail/desktop-webmail", "Fastmail (Desktop Webmail)"],
  ["free-fr/desktop-webmail", "Free.fr (Desktop Webmail)"],
  ["gmail/android", "Gmail (Android)"],
  ["gmail/desktop-webmail", "Gmail (Desktop Webmail)"],
  ["gmail/ios", "Gmail (iOS)"],
  ["gmail/mobile-webmail", "Gmail (Mobile Webmail)"],
  ["gmx/android", "GMX (Android)"],
  ["gmx/desktop-webmail", "GMX (Desktop Webmail)"],
  ["gmx/ios", "GMX (iOS)"],
  ["hey/desktop-webmail", "HEY (Desktop Webmail)"],
  ["ionos-1and1/android", "1&1 (Android)"],
  ["ionos-1and1/desktop-webmail", "1&1 (Desktop Webmail)"],
  ["laposte/android", "LaPoste.net (Android)"],
  ["laposte/desktop-webmail", "LaPoste.net (Desktop Webmail)"],
  ["laposte/ios", "LaPoste.net (iOS)"],
  ["mail-ru/desktop-webmail", "Mail.ru (Desktop Webmail)"],
  ["orange/android", "Orange (Android)"],
  ["orange/desktop-webmail", "Orange (Desktop Webmail)"],
  ["orange/ios", "Orange (iOS)"],
  ["outlook/android", "Outlook (Android)"],
  ["outlook/ios", "Outlook (iOS)"],
  ["outlook/macos", "Outlook (macOS)"],
  ["outlook/outlook-com", "Outlook (Outlook.com)"],
  ["outlook/windows", "Outlook (Windows)"],
  ["outlook/windows-mail", "Outlook (Windows Mail)"],
  ["protonmail/android", "ProtonMail (Android)"],
  ["protonmail/desktop-webmail", "ProtonMail (Desktop Webmail)"],
  ["protonmail/ios", "ProtonMail (iOS)"],
  ["rainloop/desktop-webmail", "RainLoop (Desktop Webmail)"],
  ["samsung-email/android", "Samsung Email (Android)"],
  ["sfr/android", "SFR (Android)"],
  ["sfr/desktop-webmail", "SFR (Desktop Webmail)"],
  ["sfr/ios", "SFR (iOS)"],
  ["t-online-de/desktop-webmail", "T-online.de (Desktop Webmail)"],
  ["thunderbird/macos", "Mozilla Thunderbird (macOS)"],
  ["thunderbird/windows", "Mozilla Thunderbird (Windows)"],
  ["web-de/android", "WEB.DE (Android)"],
  ["web-de/desktop-webmail", "WEB.DE (Desktop Webmail)"],
  ["web-de/ios", "WEB.DE (iOS)"],
  ["wp-pl/desktop-webmail", "WP.pl (Desktop Webmail)"],
  ["yahoo/android", "Yahoo! Mail (Android)"],
  ["yahoo/desktop-webmail", "Yahoo! Mail (Desktop Webmail)"],
  ["yahoo/ios", "Yahoo! Mail (iOS)"],
];

/** One feature in each line: its id, one letter for each client (y supported, n not, a partly, u unknown), and its name. */
export const supportLines = `
css-accent-color nnnyynunnnnuuuyuuuuuynnnnnnnnnnnnuynynuuuuuuunnn accent-color
css-align-items nnnyyyunnnnynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn align-items
css-animation nnnyyyunnnnynyyyauaunnnnnnnnnnnnnuynanunuynyunnn animation
css-aspect-ratio nnnyynunnnnynyyyyuyuynnnnnnnnnyyyunyyyunuynyunnn aspect-ratio
css-at-font-face nnnyynunnnnnnyynyununnnnnnnnanynnuynnnuyunnyunnn @font-face
css-at-import nnnyynunnnnnnyynyununnnnnnnnyyynnunnnnununnynnnn @import
css-at-keyframes nynyyyunnnnynyyyaununnnnnnnnnnnnnuynnnuyuynyunyn @keyframes
css-at-media-device-pixel-ratio nnnyyyunnnnynyyyyununyyyyyyynnynnuynnnunuynyunnn @media (-webkit-device-pixel-ratio)
css-at-media-hover nnnyyuunnnnuuuuuuununuuuyyyynnyyyuynnnuuuuuuunnn @media (hover), @media (any-hover)
css-at-media-orientation nnnayyuyynnyyyyyyunuyyyyyyyynnnnnuynnnunuyyyunnn @media (orientation)
css-at-media-prefers-color-scheme nnnyyyynnnnynynyyununyyyyyyynnnnnuynnnnnuynyunnn @media (prefers-color-scheme)
css-at-media-prefers-reduced-motion nnnyynunnnnynyyyyununyyyyyyynnaaauynynunuynyunnn @media (prefers-reduced-motion)
css-at-media aaayyyuaaanyyyyyyunuayyyaaaannyaauannnunuyyyuaaa @media
css-at-supports yyyyynunnnnynyyyyununyyynnnnnnynnuynnnunuynyuyyy @supports
css-backdrop-filter nnnyyuunnnnunuuuuuuuyuunnnynnnyyyuyyyyuuuunuunnn backdrop-filter
css-background-blend-mode nnnyyyuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn background-blend-mode
css-background-clip nnnyyyuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn background-clip
css-background-color yyyyyyuyyyyyayyyyuyuyaaayyyyyyyyyuyyyyuyuyayuyyy background-color
css-background-image aaayyynyyyyyayyyyuyuyyyyyyyynnyyyuyyyynyuyayuaaa background-image
css-background-origin nnnyyyuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn background-origin
css-background-position yyyyyyuyyyyyayyyyuyuyyyyyyyynnyyyuyyyyuyuyayuyyy background-position
css-background-repeat yyyyyyuyyyyyayyyyuyuyyyyyyyynnyyyuyyyyuyuyayuyyy background-repeat
css-background-size yyyyyyuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyuyyy background-size
css-background aaayyyuyyyyyayyyyuyuyaaayyyyaayyyuyyyyuyuyayuaaa background
css-block-inline-size nnnyyyunnnnynyyyyuyuyunnnnnnnnyyyuyuyyuyuynyunnn block-size & inline-size
css-border-collapse yyyyyuuyyyyuyuuuuuuuyuuuyyyyyyyyyuyyyyuyuuyuuyyy border-collapse
css-border-image nnnyyyunnnnynyyyyuyuynnnnnnnnnyyyuyyyyuyuynyunnn border-image
css-border-inline-block-individual nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyuayyyuuuynyunnn border-inline & border-block individual logical properties
css-border-inline-block-longhand nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyuyyyyuuuynyunnn border-inline & border-block longhand properties
css-border-inline-block nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyunyyyuuuynyunnn border-inline & border-block
css-border-radius-logical nnnyyuunnnnuuuuuuuuuyuuunnnnnnyyyunyyyuuuuuuunnn border-radius logical properties
css-border-radius aaayyyuyyyyynyyyyuyuynnnyyyynnyyyuyyyyuyuynyuaaa border-radius
css-border-spacing yyyyyuuyyyyuyuuuuuuuyuuuyynynnyyyuyyyyuyuuyuuyyy border-spacing
css-border yyyyyyuyyyyyyyyyyuyuyyyyyyyyaayyyuyyyyuyuyyyuyyy border
css-box-shadow nnnyyyuananynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn box-shadow
css-box-sizing nnnyyyuyyynyyyyyyuyuynnnyyyynnyyyuyyyyuyuyyyunnn box-sizing
css-caption-side yyyyyyuyyyyyyyyyyuyuyyyyyyyynnyyyuyyyyuyuyyyuyyy caption-side
css-clear aaayyuuayyuuauuuuuuuyuuuayuynnyyyuyuuuuuuuauuaaa clear
css-clip-path nnnyyyunnnnynyyyyuyuannnnnnnnnyyyuyyyyuyuynyunnn clip-path
css-color-scheme nnnyynunnnnununuuuuunuuunnnnnunynuyyannyuunuunnn color-scheme CSS property
css-column-count nnnyyyuyyynynyyyyuyuyyyyyyyynnyyyuyyyyuyuynyunnn column-count
css-column-layout-properties nnnyyyuyyyyuuuyuuuuuyuuuyyyynnyyyuyyyyuyuuuuunnn css column properties
css-comments ayayyuuayyaunuuuuuauannnyyyyyyyyyuyaaauyuunuuaya CSS comments
css-conic-gradient nnnyyynnnnnuuuyuuuyuynnnnnnnnnyyyuayyyyyuuuuunnn conic-gradient()
css-cursor uuunauunnnnyanuuuuuuuuuunnnnuuuauuuuuuuyuuuuuaan cursor
css-direction yyyyyyuyyyayyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy direction
css-display-flex yyyyyyuayayynyyyyuyuynnnyyyynnyyyuyyyyuyuynyuyyy display:flex
css-display-grid yyyyyyuayayynyyyyuyuynnnyyyynnyyyuyyyyuyuynyuyyy display:grid
css-display-none yyyyyyuyyynyyyyyyuyuyyyyyyyyaayyyuyyyyuyuyyyuyyy display:none
css-display aaayyauayayyayyyyuyuyaaayyyyaayyyuyyyyuyuyayuaaa display
css-empty-cells nynyyuuyyyuuuuuuuuuunuuuyyyynnyyyuyuuuuuuuuuunyn empty-cells
css-filter nnnyynunnnnynyyyyuyuannnnnnnnnyyyuyyyyuyuynyunnn filter
css-flex-direction nnnyyyunnnnynyyyyuyuynnnnyyynnyyyuyyyyuyuynyunnn flex-direction:column
css-flex-wrap nnnyyyunnnnynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn flex-wrap: wrap
css-float aaayyyuayayyayyyyuyuyyyyyyyynnyyyuyyyyuyuyayuaaa float
css-font-kerning unuyyuyyyyyunuuuuuuunuuuyyyynuyyyuyuyunyuuuuunnn font-kerning
css-font-size-adjust uuuyyuuayayyayuuuuuuyuuuyyyynnyyyuuuuuuyuuauuaaa font-size-adjust
css-font-size aaayyuuyyyyuauuuuuuuyuuuyyyyaayyyuauuuuyuuauuaaa font-size
css-font-stretch unnyyuunyyyuuuuuuuuuyuuunyyynuuyyunnyyuyuuuuunnn font-stretch
css-font-weight aaayyyuyyyyyyyyyyuyuyyayyyyyaayyyuyyyyuyuyyyuaaa font-weight
css-font yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy font shorthand
css-function-clamp nnnyynuayayynyyyyuyuynnnnnnnnnyyyuayyyuyuynyunnn clamp()
css-function-light-dark unnyyunnnnnunuauuuauaunnunnnnnuayuauaaayuuuuuunn light-dark()
css-function-max nnnyynuayayynyyyyuyuynnnnnnnnnyyyuayyyuyuynyunnn max()
css-function-min nnnyynuayayynyyyyuyuynnnnnnnnnyyyuayyyuyuynyunnn min()
css-gap nnnyyayaaanunuyuuuyuynnnaaaannyyyuyyyyyyuuuuunnn gap, column-gap, row-gap
css-grid-template nnnyynynnnnunuyuuuyuynnnnnnnnnyyyuyyyyyyuuuuunnn grid-template-* properties
css-height nnnyyyuyyyyyyyyyyuyuyyyyyyyyayyyyuyyyyuyuyyyunnn height property
css-hyphenate-character nnnyyuunnnnunuuuuuuuauuunnnnnnyyyuyuuuuuuunuunnn hyphenate-character
css-hyphenate-limit-chars nnnnnuunnnnunuuuuuuuyuuunnnnnnuuuunuuuunuunuunnn hyphenate-limit-chars
css-hyphens unuyyuunnnuuuuuuuuuuyuuunnnnnnuuuuyyyyuuuuuuunnn hyphens
css-important aaayyyuaaaaynyyyyuyuynnnyyyyaaaaauyayauyuynynaaa !important keyword
css-inert-attribute nnnyyuunnnnuuuuuuuuuuuuunnnnnnuuuuyuuuuuuuuuunnn inert
css-inline-size nnnnnnunnnnynyyyyuyuyynynnnnnnyyyuyyyyuyuynyunnn inline-size 
css-inset nnnyyuunnnnunuuuuuuunuuunnnnnnuuuunuuuuyuunuunnn inset
css-intrinsic-size nnnyyyuyyayuuuyuuuyuynnnaayynnyyyunyyyuyuuuuunnn fit-content, min-content, max-content
css-justify-content nnnyyyunnnnynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn justify-content
css-left-right-top-bottom nnnyyyunnnnyyyyyyuyuayyyyyyynnyyyuayyyuyuyyyunnn left, right, top, bottom
css-letter-spacing yyyyyyuyyyyyyyyyyuyuyyyyyyyyaayyyuyyyyuyuyyyuyyy letter-spacing
css-line-height yyyyyyuyyyyyyyyyyuyuyayayyyyaayyyuyyyyuyuyyyuyyy line-height
css-linear-gradient nnnyyyyayyyynyyyyuyuynnnnnnnnnyyyuayyyyyuynyunnn linear-gradient()
css-list-style-image nnnyyyunnnnyyyyyyuyuyynynnnnnnnnyuyyyyuyuyyyunnn list-style-image
css-list-style-position yyyyyyuyyyyyyyyyyuyuyyyyyyyynnyyyuyyyyuyuyyyuyyy list-style-position
css-list-style-type yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy list-style-type
css-list-style aaayyyuaaaayyyyyyuyuyyyyyyayaanayuyyyyuyuyyyuaaa list-style
css-margin-block-start-end nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyuyuuuuuuynyunnn margin-block-start & margin-block-end
css-margin-inline-block nnnyyyunnnnynyyyyuyuyyyynnnnnnyyyunyyyuyuynyunnn margin-inline & margin-block
css-margin-inline-start-end nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyuyuuuuuuynyunnn margin-inline-start & margin-inline-end
css-margin aaayyyuaaaayyyyyyuyuayyyaaaaaayyyuyyyyuyuyyyuaaa margin
css-mask-image nnnyyuunnnnunuuuuuuuyuuunnynnnuuuuyuuuuuuunuunnn mask-image
css-max-block-size unuyyuunnnuuuuuuuuuuyuuunynnnnyyyuyuuuuuuuuuunnn max-block-size
css-max-height yyyyyyuyyyyyyyyyyuyuyyyyyyyynnyyyuyyyyuyuyyyuyyy max-height property
css-max-inline-size nnnyyuunnnnunuuuuuuuyuuunnnnnnyyyuyuuuuuuunuunnn max-inline-size
css-max-width yyyyyyuyyyyyyyyyyuyuyyyyyyyyaayyyuyyyyuyuyyyuyyy max-width
css-min-block-size nnnyyuunnnnunuuuuuuuyuuunnnnnnyyyuyuuuuuuunuunnn min-block-size
css-min-height yyyyyyuyyyyyyyyyyuyuyyyyyyyynnyynuyyynuyuyyyuyyy min-height property
css-min-inline-size unuyyuunnnnuuuuuuuuuyuuunynnnnyyyuyuuuuuuuuuunnn min-inline-size
css-min-width yyyyyyuyyyyyyyyyyuyuyyyyyyyynnyyyuyyyyuyuyyyuyyy min-width property
css-mix-blend-mode nnnyynuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn mix-blend-mode
css-modern-color nnnyyyunnnnuuuyuuuuuyuuunnnnnunyyunuuuunuuuuunnn lch(), oklch(), lab(), oklab()
css-nesting unuyauunnnnuuuuuuuuunuaannnnnnayauauanuyuuuuunnn CSS Nesting
css-object-fit nnnyyyuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn object-fit
css-object-position nnnyyyuayanynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn object-position
css-opacity nnnyyyuyyynynyyyyuyunnnnyyyynnyyyuyyyyuyuynyuyyy opacity
css-orphans nnnyyuunnnnunuuuuuuuyuuuyyyynnyyyuyuuuuuuunuunnn orphans
css-outline-offset nnnyyyynnnnunuyuuuyuynnnnnnnnnyyyuyyyyyyuuuuunnn outline-offset
css-outline yyyyyyyyyyyyyyyyyuyuynnnyyyynnyyyuyyyyyyuyyyuyyy outline
css-overflow-wrap unuaauunnnuuuuuuuuuuyuuunnnnnnuuuuyuuuuuuuuuunnn overflow-wrap
css-overflow aaaaayuaaaaaaayyyuyuayayaaaannaaauayyyuyuaaauaaa overflow
css-padding-block-start-end nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyuyuuuuuuynyunnn padding-block-start & padding-block-end
css-padding-inline-block nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyunuuuuuuynyunnn padding-inline & padding-block
css-padding-inline-start-end nnnyyuunnnnynyuyyuuuyuuunnnnnnyyyuyuuuuuuynyunnn padding-inline-start & padding-inline-end
css-padding yyyyyyuyyyyyyyyyyuyuyyyyyyyyaayyyuyyyyuyuyyyuyyy padding
css-position aaaaaaunnnnyyyayyuaunaaaanaannyyyuaaaauyuyyyuaaa position
css-pseudo-class-active yynnayunnnnyyyyyyununyynynaannyyyunnnnuyuyyyuyyy :active
css-pseudo-class-checked yyyyyyunnnnnnynnnununnnnaaaannnnnuynnnuyunnyuyyy :checked
css-pseudo-class-default yyyyyuunnnnnnyuuuuuuyuuuyyyannnnnuuuuunyuunuuyyy :default
css-pseudo-class-first-child yyyyyyunnnnyyyyyyununyyyyyaannynnuynnnuyuyyyuyyy :first-child
css-pseudo-class-first-of-type yyyyyyunnnnynyyyyununyyyyyaannynnuynnnuyuynyuyyy :first-of-type
css-pseudo-class-focus-visible yyuuyuunnnnuuuuuuuuuuuuuauaanuuuuuyuuuuuuuuuuyyu :focus-visible
css-pseudo-class-focus-within yyuuyuunnnnuuuuuuuuuuuuuauannuuuuuyuuuuuuuuuuyyu :focus-within
css-pseudo-class-focus yynnyyunnnnnyyynyununyynynaannyyyuynnnuyunyyuyyy :focus
css-pseudo-class-has nnnyyyunnnnynyyyyununnynnnnnnnnyyuynnnunuynyunnn :has()
css-pseudo-class-hover yynyyyuaynnynyyyyununyyyynaannyyyuynnnuyuynyuyyy :hover
css-pseudo-class-lang nnnyyuunnnnuuuuuuununuuuyynnnnyyyuyunuuuuuuuunnn lang()
css-pseudo-class-last-child yyyyyyunnnnyyyyyyununyyyyyaannynnuynnnuyuyyyuyyy :last-child
css-pseudo-class-last-of-type yyyyyyunnnnynyyyyununyyyyyaannynnuynnnuyuynyuyyy :last-of-type
css-pseudo-class-link yyyyyyunnnnyyyyyyununyyyyyaayyynnuynnnuyuyyyuyyy :link
css-pseudo-class-not nnnyyyunnnnynyyyyununyyynnnnnnynnuynnnuyuynyunnn :not
css-pseudo-class-nth-child nnnyyyunnnnynyyyyununyyynnnnnnynnuynnnuyuynyunnn :nth-child
css-pseudo-class-nth-last-child nnnyyyunnnnynyyyyununyyynnnnnnynnuynnnuyuynyunnn :nth-last-child
css-pseudo-class-nth-last-of-type nnnyyyunnnnynyyyyununyyynnnnnnnnnuynnnuyuynyunnn :nth-last-of-type
css-pseudo-class-nth-of-type nnnyyyunnnnynyyyyununyyynnnnnnnnnuynnnuyuynyunnn :nth-of-type
css-pseudo-class-only-child yyyyyyunnnnyyyyyyununyyyyyaannynnuynnnuyuyyyuyyy :only-child
css-pseudo-class-only-of-type yyyyyyunnnnyyyyyyununyyyyyaannynnuynnnuyuyyyuyyy :only-of-type
css-pseudo-class-target yynnnnunnnnnyynnnununynnyyaannynnuynnnuyunyyuyyy :target
css-pseudo-class-visited yynnnyunnnnnynynyununnynyyaannnnnunnnnuyunynuyyy :visited
css-pseudo-element-after nnnyyyunnnnynyyyyununnnnnaaannynnuynnnuyuynyunnn ::after
css-pseudo-element-before nnnyyyunnnnynyyyyununnnnnaaannynnuynnnuyuynyunnn ::before
css-pseudo-element-first-letter yyyyyyunnnnyyyyyyununnyynaaannynnuynnnuyuyyyuyyy ::first-letter
css-pseudo-element-first-line yyyyyyunnnnyyyyyyununnyynaaannynnuynnnuyuyyyuyyy ::first-line
css-pseudo-element-marker yyyyyyunnnnuuuyuuununnyynnnnnnnyyuynnnuyuuuuuyyy ::marker
css-pseudo-element-placeholder yyyyyyunnnnnnynnnununnnnnaaannnnnuynnnuyunnyuyyy ::placeholder
css-radial-gradient nnnyyyyayyyynyyyyuyuyyyynnnnnnyyyuyyyyyyuynyunnn radial-gradient()
css-resize nnnnauunnnuunnuuuuuuyuunnnnnnnuunuyuunuuuunnunnn resize
css-rgb aaayyyuaaaayayyyyuyuyaaayyyyaayyyuyyyyuyuyayuaaa rgb()
css-rgba aaayyyuaaaaynyyyyuyuynnnyyyynnyyyuyyyyuyuynyuaaa rgba()
css-scroll-snap nnnyynunnnnuuuyuuuyuynnnnnnnnnyyyuyyyyuyuuuuunnn scroll-snap
css-selector-adjacent-sibling yyyyyyuayanyayyyyuyuyyyyyyyynnynnuynynuyuyayuyyy Adjacent sibling combinator
css-selector-attribute aaayyyuaaanynyyynuyuayyyaaaannnnnuynynuyuynyuaaa Attribute selector
css-selector-chaining yyyyyyuayanyayyyyuyuyyyyyyynnnynnuynynuyuyayuyyy Chaining selectors
css-selector-child yyyyyyuayanynyyyyuyuyynyyyyynnynnuynynuyuynyuyyy Child combinator
css-selector-class yyyyyyuayanyyyyyyuyuyyyyyyyyyyynnuynynuyuyyyuyyy Class selector
css-selector-descendant yyyyyyuayanyayyyyuyuyyyyyyyyyyynnuynynuyuyayuyyy Descendant combinator
css-selector-general-sibling yyyyyyuayanynyyyyuyuyyyyyyyynnynnuynynuyuynyuyyy General sibling combinator
css-selector-grouping yyyyyyuayanyayyyyuyuyyyyyyyyyyynnuynynuyuyayuyyy Grouping selectors
css-selector-id yyyyyyuayanyyyyynuyuyyyyyyyyyyynnuynynuyuyyyuyyy ID selector
css-selector-type yyyyyyuayanynyyyyuyuyyyyyyyyyyynnuynynuyuynyuyyy Type selector
css-selector-universal yyyyyyuayanyyyyyyuyunyyyyyyynnynnuynynuyuyyyuyyy Universal selector *
css-shape-margin nnnyyuunnnnuuuuuuuuuyuuunnynnnuuuuyuuuuyuuuuunnn shape-margin
css-shape-outside nnnyyuunnnnuuuuuuuuuyuuunnynnnuuuuyuuuuyuuuuunnn shape-outside
css-sytem-ui ayyyyyuayyyuyuyuuuyuyayyayyynnayyuaayyyauuuuuayy system-ui, ui-serif, ui-sans-serif, ui-rounded, ui-monospace
css-tab-size unuyyuunnnunnyunyuuunuuunyyynnyyyuyuuuuuunnyunnn tab-size
css-table-layout uyuyyuuyyyuuuuuuuuuuyuuuyynynnyyyuyuuuuuuuuuuyyy table-layout
css-text-align-last unuyyuyyyyyuuuuuuuuuyuuunnnnnuyyyuyuuuyuuuuuunnn text-align-last
css-text-align aaayyyuayyayayyyyuyuyaaaayyyaayyyuayyyuyuyayuaaa text-align
css-text-decoration-color yyyyyyuayanynyyyyuyuyynyyyyynnyyyuyyyyuyuynyuyyy text-decoration-color
css-text-decoration-line nyyyyuuyyyyunuuuuuuuyuuuyyyynnyyyuyuuuuyuunuuyyy text-decoration-line
css-text-decoration-skip-ink nnnyyyunnnnunuyuuuyuyunnnnnnnnyyyuyuyuuyuunuunnn text-decoration-skip-ink
css-text-decoration-style nyyyyuuyyyyunuuuuuuuyuuuyyyynnyyyuyuuuuyuunuuyyy text-decoration-style
css-text-decoration-thickness nnnyyyunnnnynyyyyuyuynnynnnnnnyyyuynyyuyuynyunnn text-decoration-thickness
css-text-decoration yyyyyyuayayyaayyyuyuyyynyyyyaayynuyyynuyuyaauyyy text-decoration
css-text-emphasis-position nnnyyuunnnnynyuyyuuuyuuunnynnnyyyunuuuuuuynyunnn text-emphasis-position
css-text-emphasis nnnyyuunyynynyuyyuuuyuuunyyynnyyyunuuuuuuynyunnn text-emphasis
css-text-indent aaayyyuaaaayyyyyyuyuayyyyyyyyyyayuyyyyuyuyyyuaaa text-indent
css-text-justify nnnnnuunanauauuuuuuuauuunnnaanyanunuuuuuuunuunan text-justify
css-text-orientation nnnyyuuyyyyunuuuuuuuyuuuyyyynnyyyuyuuuuyuunuunnn text-orientation
css-text-overflow nnnyyyuayayynyyyyuyuyynyyyyynnyyyunyyyuyuynyunnn text-overflow
css-text-shadow yyyyyyunnnnyyyyyyuyuyyyynnnnnnyyyuyyyyuyuyyyuyyy text-shadow
css-text-transform yyyyyyuyyyyyyyyyyuyuyyyyyyyyaayyyuyyyyuyuyyyuyyy text-transform
css-text-underline-offset nnnyyyunnnnynyyyyuyuynnynnnnnnyyyuynyyuyuynyunnn text-underline-offset
css-text-underline-position nnnaauuyyayunuuuuuuuyuuuyanynnyyyuyuuuuyuunuunnn text-underline-position
css-text-wrap nnnyyuunnnnunuuuuuuuyuuunnnnnnyyyuyuuuuuuunuunnn text-wrap
css-transform nnnyyyunnnnynyyyyuyunnnnnnnnnnyyyuyyyyuyuynyunnn transform
css-transition aaayyyynnnnuuuauuuyuynnnnnnnnnuynuanynuyuuuuuaaa transition
css-unit-calc nnnyyyuayayynyyyyuyuynnnnnnnnnyyyuyyyyuyyynyunnn CSS calc() function
css-unit-ch nnnyyyuyyyyynyyyyuyuynnnyyyynnyyyuyyyyuyyynyunnn ch unit
css-unit-cm yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy cm unit
css-unit-em yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy em unit
css-unit-ex yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy ex unit
css-unit-in yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy in unit
css-unit-initial nnnyyyuaaayynyyyyuyuynnnyyyynnyyyuyyyyuyyynyunnn initial unit
css-unit-mm yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy mm unit
css-unit-pc yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy pc unit
css-unit-percent yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy % unit
css-unit-pt yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy pt unit
css-unit-px yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy px unit
css-unit-rem nnnyyyuyyyyynyyyyuyuynnnyyyynnyyyuyyyyuyyynyunnn rem unit
css-unit-vh yyyaynuyyyyanyyyyuyuynnnyyyynnyyyuynyyuyyanyuyyy vh unit
css-unit-vmax nnnyyyuyyyyanyyyyuyuynnnyyyynnyyyuyyyyuyyanyunnn vmax unit
css-unit-vmin nnnyyyuyyyyanyyyyuyuynnnyyyynnyyyuynyyuyyanyunnn vmin unit
css-unit-vw yyyyynuyyyyynyyyyuyuynnnyyyynnyyyuyyyyuyyynyuyyy vw unit
css-user-select nnnayuunnnuunuuuuuuuyuuunnnnnnaaauyuuuuuuunnunnn user-select
css-variables nnnyynunnnnynyyyyuyunnnnnnnnnnyyyuyyyyuyyynyunnn CSS Variables (Custom Properties)
css-vertical-align yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy vertical-align
css-visibility ynyyyyunnnnyyyyyyuyuynnnyyyynnyyyuyyyyuyuyyyuyyy visibility
css-white-space-collapse nnnyyuunnnnuuuuuuuuuyuuunnnnnnyyyuyuuuuuuuuuunnn white-space-collapse
css-white-space yyyyyyuayayayyyayuyuyyyyyyyynnyyyunayyuyuayyuaya white-space
css-widows nnnyyuunnnnunuuuuuuuyuuuyyyynnyyyuyuuuuuuunuunnn widows
css-width yyyyyyuyyyyyyyyyyuauyyyyyyyyayyyyuyyyyuyuyyyuyyy width property
css-word-break nnnaayuayaannyanyuyuynanaaaaynayauayyyuyunnyunnn word-break
css-word-spacing naayyuuyyyyuauuuuuuuyuuuyyyynnyyyuyuuuuyuuauuaaa word-spacing
css-word-wrap uuuyyuuaauuuuuuuuuuuuuuunyuynnuuuuuuuuuuuuuuuuyu word-wrap
css-writing-mode nnnyynuayayynyyyyuyuynnnyyyynnyyyuyyyyuyuynyunnn writing-mode
css-z-index yyyyyyunnnnyyyyyyuyunyyyyyyynnyyyuyyyyuyuyyyuyyy z-index
html-abbr nnnyyyyyyyyuyunuuuyununnyyyynnuyyuyuyyyyuuyuunnn <abbr> element
html-acronym nnnyyuuyyyyuyuuuuuuunuuuyyyynnyyyuyyyyyyuuyuunnn <acronym> element
html-address yyyyyyuyyyynyyynnuyuynnnyyyyyyyyyuyyyyuyunyyuyyy address
html-align yyyyyyuyyyyyyyayyuyuyyyyyyayyyyayuyyyyuyuyyyuyyy align attribute
html-anchor-links nayyyyuyynynyynyyunuyynnyyyyyynynunnnnuyunyyunan Local anchors
html-aria-describedby nnnyynunnnnnnynnyuyunnnnyyyynnyyyuyyyyununnyunnn aria-describedby attribute
html-aria-hidden nnnyyyuyyyynnynnyuyuynnnyyyyynyyyuyyyyununnyunnn aria-hidden attribute
html-aria-label nnnyyyuyyyynnynnyuyuynnnyyyyynyyyuyyyyununnyunnn aria-label attribute
html-aria-labelledby nnnyynunnnnnnynnyuyuynnnyyynnnyyyuyyyyununnyunnn aria-labelledby attribute
html-aria-live nnnyyyuyyyynnynnyuyuynnnnnnnanyyyuyyyyununnyunnn aria-live attribute
html-audio nnnyynunnnnnnnnynununnnnnnnnnnnnnuyyyyuyynnnunnn <audio> element
html-background yyyyyyyayayyyynyyuyuyyyyyyyyanyyyuyyyyyyuyyyuyyy background attribute
html-base aaayyauaaaannyanyununnnnnaaaynnanuynnnuyunnyuaaa <base>
html-bdi nnnyyyunnnnnnynnnuyunnnnnnnnnnyyyuyyyyuyunnyunnn <bdi> element
html-blockquote yyyyyyuyyyyyyyayyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <blockquote> element
html-body nanyynuaaaayyyayyununaaaaanayynnnuynnnuyuyyyunan <body> element
html-button-reset nnnyyyuyyaynnynnauyuayyyynyynnnyyuyyayuaunnyunnn <button type="reset"> element
html-button-submit yyyyyyuyyaynnynnauyuayyyynnnnnnyyuyyayuyunnyuyyn <button type="submit"> element
html-cellpadding yyyyyuuyyyyuyuuuuuuuyuuuyyyyyyyyyuyuuuuyuuyuuyyy cellpadding attribute
html-cellspacing yyyyyuuyyyyuyuuuuuuuyuuuyyyyyyyyyuyuuuuyuuyuuyyy cellspacing attribute
html-code yyyyyyyyyyyuyuyuuuyuynnnyyyyyyyyyuyyyyyyuuuuuyyy <code> element
html-comments yyyyyuuyyyyuyuuuuuuuyuuuyyyyyyyyyuyuuuuyuuyuuyyy HTML comments
html-del yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <del> element
html-dfn yyyyyuuyyyyuyuuuuuuunuuuyyyyaayyyuyyyynyuuyuuyyy <dfn> element
html-dialog nnnyynuynnnnnynnnuyunnnnnnnnnnynnuyyyyuyunnyunnn <dialog> element
html-dir yyyyyyuyyyaynyyyyuyuyaaayyyyaayyyuyyyyuyuynyuyyy dir attribute
html-div yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <div> element
html-doctype nyyyyyuyyyyyyynynuyuyyynyyyynynynunyynunuyyyunyy HTML5 doctype
html-form yyyyynuyyaynnynnnununnnnyyaannnnnuyynyuyunnyuyyn <form> element
html-h1-h6 yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <h1> to <h6> elements
html-height yyyyyyuyyyyyyynyyuyuyyyyyyyyayyyyuyyyyuyuyyyuyyy height attribute
html-hidden unuyyuunnnnunuuuuuuuauuunnnnnnyyyuyyyyuyuunuunnn hidden attribute
html-hr yyyyyuuyyyyuuuuuuuuuyuuuyyyyyyyyyuyyyyuyuuuuuyyy <hr> element
html-image-maps nynyyyuyyyyyyynyyuyuyyyyyyyyynnyyuyyyyuyuyyyunyy Image maps
html-img yyyyyyyyyyyuuuyuuuyuyuyyyyyyyyuyyuyuyyuuuuuuuyyy <img> element
html-input-checkbox yyyyyyuyyyynnynnnunuynnnyyyynnnnnuynnnuaunnyuyyy <input type="checkbox"> element
html-input-hidden yyyyyyuyyyynnynnnunuynnnyyyynnnnnuynnnuaunnyuyyy <input type="hidden"> element
html-input-radio yyyyyyuyyyynnynnnunuynnnyyyynnnnnuynnnuaunnyuyyy <input type="radio"> element
html-input-reset yyyyyyuyyaynnynnnunuynnnyyyynnnnnuynnnuaunnyuyyy <input type="reset"> element
html-input-submit yyyyyyuyyaynnynnnunuynnnyynnnnnnnuynnnuyunnyuyyn <input type="submit"> element
html-input-text yyyyyyuyyyynnynnnunuynnnnyyynnnnnunnnnuaunnyunyy <input type="text"> element
html-lang yayyyyuyyyynnynnnuyuyynyyyyyyyyyyuyyyyuyunnyuaaa lang attribute
html-link nnnyynunnnnnnynnnununnnnnnnnyynnnunnnnununnynnnn <link> element
html-lists aaayyyuaaaayyyyyyuyuayyyaaaaaayyyuyyyyuyuyyyuaaa <ul>, <ol> and <dl>
html-loading-attribute nnnyynunnnnnnyannuyuynnnnnnnnnnynuynynuyunnyunnn loading attribute
html-mailto-links ayyyyyuyyyyyyyyyauyuyaanyyyyyyayyuyyyyuyuyyyuayy mailto: links
html-marquee yayyynunnnnnnynnnuaunynyyyaannyayuyyyyuyynnyuyay <marquee> element
html-meta-color-scheme nnnnynunnnnununuuuuunuuunnnnnnnnnunnnnuyuunuunnn color-scheme meta tag
html-meter nnnyyyuannnnnynnnuyunnnnyyyynnyyyuyyyyuyunnyunnn <meter> element
html-object nnnyanunnnnnnannnununnnnnnnnnnnnnuannnuaunnaunnn <object> element
html-p yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <p> element
html-picture nnnyanunnnnnnynnnuyunnnnnnnnnnnnnuyyyyuyunnyunnn <picture> element
html-popover unnyynunnnnuuunuuuuuauuunnnnnnunnuayynunuuuuunnn popover attribute
html-pre yyyyyyyyyyyuyuyuuuyuyyyyyyyyyyyyyuyyyyyyuuuuuyyy <pre> element
html-progress nnnyyyuannnnnynnnuyunnnnnnnnnnyyyuyyyyuyunnyunnn <progress> element
html-required nnnyyyuannnnnynnnuaunnnnyynnnnnanuyyanuyunnyunnn required attribute
html-role aaayyyuyyyynnynnnuyuynnnyyyyynyyyuyyyyuyunnyuaaa role attribute
html-rp yyyyyyuannnnnynnnuyunnnnyyyynnyyyuyyyyuyunnyuyyy <rp> element
html-rt yyyyyyuannnnnynnnuyunnnnyyyynnyyyuyyyyuyunnyuyyy <rt> element
html-ruby yyyyyyuannnnnynnnuyunnnnyyyynnyyyuyyyyuyunnyuyyy <ruby> element
html-select yyyayyuyyaynnynnyunuyyyyyyyynnyyyuynnnuaunnyuyyn <select> element
html-semantics nnnyyyuaaaannyanauyunaaaaaaannyyyuyyyyuyunnyunnn HTML5 semantics
html-small yyyyyyyyyyyyyyyynuyuynnnyyyyyyyyyuyyyyyyuyyyuyyy <small> element
html-span yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <span> element
html-srcset nnnyynunnnnnnynnnuyunnnnnnnnnnnnnuyyyyuyunnyunnn srcset and sizes attributes
html-strike yyyyyyuayayyyynyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <strike> element
html-strong yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <strong> element
html-style yyyyyyuaaanynyyyynnnyyyyyyyyaaayanynnnuyyynyyyyy <style> element
html-svg nnnyanunnnnnnynnnuyunyyynnnnnnyyyuyyyyuyynnyunnn Embedded <svg> image
html-table yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy <table> element
html-target nnnaanunnnnnnannnuyunnnnaaanaannnuanynuaunnaunnn target attribute
html-textarea yyyyyyuyyyynnynnyunuyyyynyyynnayyunnnnuaunnyunyy <textarea> element
html-valign yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyuyyyuyyy valign attribute
html-video nnnaynunnnnnnynnnununnnnnnynnnnnnuayyyuyunnyunnn <video> element
html-wbr yyyyyyuaynynnnnnyuyunnnyyyyynnyyyuyyyyuyunnnuyyy <wbr> element
html-width yyyyyyuyyyyyyynyyuyuyyyyyyyyayyyyuyyyyuyuyyyuyyy width attribute
image-apng yyyyyyunnynyyyyyyuyuyyyynyyynnyyyuyyyyuyyyyyuyyy Animated PNG image format
image-avif yyyyynuaaaannnynnuyunyynyyyynnyyyuyyynuyunnnuyyy AVIF image format
image-base64 yyyyyyunnnnyaynyyunuyyyyyyyyanyyyuyynyuyyyayuyyy Base 64 image format
image-bmp yyyyyyuaayayynyyyuyuyyyyyyyyyyyyyuyyyyuyyyynuyyy BMP image format
image-gif yyyyyyuyyyyyyyyyyuyuyyyyyyyyayyyyuyyyyuyyyyyuyyy GIF image format
image-hdr nnnnnnunnnnnnnnnnununnyynnnnnnnnnunnyyunnnnnunnn HDR image format
image-heif nayyynuaaaannnnnnununnnnnyynnnnayunnnnunnnnnunay HEIF image format
image-ico yyyyyyuyyyyyyyyyyuyuyyyyyyyynyyyyuynyyuyyyyyuyyy ICO image format
image-jpg yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy JPG image format
image-mp4 nyyyynunnnnnnynnnuyunnyynynynnnyyunnyyununnyunyy Video as Image Assets
image-png yyyyyyuyyyyyyyyyyuyuyyyyyyyyyyyyyuyyyyuyyyyyuyyy PNG image format
image-svg yyyyyyuananyyyyyyuyunyyyyyyyyyyyyuyyyyuyyyyyuyyy SVG image format
image-tiff nnyyynuaayannyynnuyunnnynyynnynyyunnyyunnnnyunny TIFF image format
image-webp yyyyyyuaaaayyyyyyuyuyyyyyyyynyyyyuyyyyuyyyyyuyyy webP image format
`;
