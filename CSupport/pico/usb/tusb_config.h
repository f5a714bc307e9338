// TinyUSB: one device with one serial port, without an operating system.
#ifndef TUSB_CONFIG_H
#define TUSB_CONFIG_H

#define CFG_TUSB_MCU OPT_MCU_RP2040
#define CFG_TUSB_OS OPT_OS_NONE
#define CFG_TUSB_RHPORT0_MODE OPT_MODE_DEVICE
#define CFG_TUSB_DEBUG 0

// Silicon B0 and B1 miss the end of a bus reset behind a busy hub (erratum RP2040-E5); all may answer too late in a
// frame for the hub of a Raspberry Pi 4 (RP2040-E15).
#define TUD_OPT_RP2040_USB_DEVICE_ENUMERATION_FIX 1
#define TUD_OPT_RP2040_USB_DEVICE_UFRAME_FIX 1

#define CFG_TUD_ENDPOINT0_SIZE 64
#define CFG_TUD_CDC 1
#define CFG_TUD_CDC_EP_BUFSIZE 64
#define CFG_TUD_CDC_RX_BUFSIZE 128
#define CFG_TUD_CDC_TX_BUFSIZE 512

#endif
