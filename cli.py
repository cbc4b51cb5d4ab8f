from pavilion_ai.cli import main

main()
