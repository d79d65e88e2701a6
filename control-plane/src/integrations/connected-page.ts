/** What a person sees for a moment on the way back to the dashboard. */
export function connectedPage(name: string, dashboardUrl: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Connected</title>
<p>${escaped(name)} is connected. <a href="${escaped(dashboardUrl)}">Back to the dashboard</a></p>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
