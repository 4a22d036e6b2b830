quantgate_fuzz(report_filter CORPUS filter LIBS quantgate_reports)
