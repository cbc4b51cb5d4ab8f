from pavilion_ai.__main__ import main

main()
