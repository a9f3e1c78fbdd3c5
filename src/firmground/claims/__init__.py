"""What does the answer assert?"""
