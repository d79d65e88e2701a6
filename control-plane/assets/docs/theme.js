// Before anything is painted: the theme that the reader chose, here or in the dashboard.
const theme = localStorage.getItem('dashboard.theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
