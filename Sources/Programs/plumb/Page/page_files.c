// In C, because #embed takes no time: the same bytes as a Swift array take the compiler half a minute.
#include "page_files.h"

#pragma clang diagnostic ignored "-Wc23-extensions" // the compiler is Swift's clang

static const unsigned char html[] = {
#embed "../Views/Web/Page/page.html"
};
static const unsigned char panel_html[] = {
#embed "../../../Web/Panel/panel.html"
};
static const unsigned char panel_css[] = {
#embed "../../../Web/Panel/panel.css"
};
static const unsigned char poses_js[] = {
#embed "../../../Web/Panel/poses.js"
};
static const unsigned char board_js[] = {
#embed "../../../Web/Panel/board.js"
};
static const unsigned char chart_js[] = {
#embed "../../../Web/Panel/chart.js"
};
static const unsigned char panel_js[] = {
#embed "../../../Web/Panel/panel.js"
};
static const unsigned char page_js[] = {
#embed "../Views/Web/Page/page.js"
};
static const unsigned char plot_js[] = {
#embed "../Views/Plot/plot.js"
};

struct page_file page_file_html(void) {
  return (struct page_file){html, sizeof html};
}
struct page_file page_file_panel_html(void) {
  return (struct page_file){panel_html, sizeof panel_html};
}
struct page_file page_file_panel_css(void) {
  return (struct page_file){panel_css, sizeof panel_css};
}
struct page_file page_file_poses_js(void) {
  return (struct page_file){poses_js, sizeof poses_js};
}
struct page_file page_file_board_js(void) {
  return (struct page_file){board_js, sizeof board_js};
}
struct page_file page_file_chart_js(void) {
  return (struct page_file){chart_js, sizeof chart_js};
}
struct page_file page_file_panel_js(void) {
  return (struct page_file){panel_js, sizeof panel_js};
}
struct page_file page_file_page_js(void) {
  return (struct page_file){page_js, sizeof page_js};
}
struct page_file page_file_plot_js(void) {
  return (struct page_file){plot_js, sizeof plot_js};
}
