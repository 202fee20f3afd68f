UPDATE trials SET median_s=9e999
