"""Do the numbers hold on my data and my model?"""
