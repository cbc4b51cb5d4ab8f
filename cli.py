from pavilion_ai.__main__ import main

if __name__ == "__main__":
    main()
