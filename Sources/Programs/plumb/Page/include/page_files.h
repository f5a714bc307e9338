// The files in Views and Web for the pages of `plumb serve` and `plumb plot`, embedded in the program.
#ifndef PAGE_FILES_H
#define PAGE_FILES_H

#include <stddef.h>

// The bytes of a file, valid as long as the program runs.
struct page_file {
  const unsigned char *bytes;
  size_t count;
};

struct page_file page_file_html(void);
struct page_file page_file_panel_html(void);
struct page_file page_file_panel_css(void);
struct page_file page_file_poses_js(void);
struct page_file page_file_board_js(void);
struct page_file page_file_chart_js(void);
struct page_file page_file_panel_js(void);
struct page_file page_file_page_js(void);
struct page_file page_file_plot_js(void);

#endif
