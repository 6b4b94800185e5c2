// Light, dark, or as the system has it.

const KEY = "zeroply-theme";
const WORDS = { auto: "Theme: auto", light: "Theme: light", dark: "Theme: dark" };
const NEXT = { auto: "light", light: "dark", dark: "auto" };

function kept() {
  try {
    return localStorage.getItem(KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

function apply(theme, button) {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  button.textContent = WORDS[theme];
}

export function setUpTheme(button) {
  let theme = WORDS[kept()] ? kept() : "auto";
  apply(theme, button);
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // It lasts as long as the page then.
    }
    apply(theme, button);
  });
}
